/// Operations in the form of layouts 2 to 5, in which they were messages of a role of their own: on their way, waiting,
/// parked, failed, and failed in doubt. For the messages of ``Layout3`` to ``Layout5``. Never edited.
enum EarlierOperations {
    static let sql = """
        INSERT INTO message VALUES
        (60, x'0190A6B200007000800000000000003C', 'general', 'ada', '{"v":1,"type":"text","text":"edited"}', 37,
         1700000000060, 'operations', 60, 0, 2, 1, 1700000000160, NULL, 0, 9223372036854775807, NULL,
         2, x'0190A6B2000070008000000000000001', NULL, '2:1700000000160', NULL, NULL),
        (61, x'0190A6B200007000800000000000003D', 'general', 'ada', '{"v":1,"type":"text","text":"wave"}', 35,
         1700000000061, 'operations', 61, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL,
         3, x'0190A6B2000070008000000000000001', NULL, NULL, NULL, NULL),
        (62, x'0190A6B200007000800000000000003E', 'random', 'ada', '{"v":1,"type":"text","text":"later"}', 36,
         1700000000062, 'operations', 0, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL,
         2, x'0190A6B2000070008000000000000004', NULL, NULL, NULL, NULL),
        (63, x'0190A6B200007000800000000000003F', 'general', 'ada', '{"v":1,"type":"text","text":"wave"}', 35,
         1700000000063, 'operations', 55, 54, 4, 1, 1700000000163,
         '{"reason":"refused","code":"notHere","detail":"no","at":1700000000263}', 0, 9223372036854775807, NULL,
         4, x'0190A6B2000070008000000000000005', NULL, '2:1700000000163,4:1700000000263', NULL, NULL),
        (64, x'0190A6B2000070008000000000000040', 'general', 'ada', '{"v":1,"type":"text","text":"heart"}', 36,
         1700000000064, 'operations', 56, 55, 4, 4, 1700000000164,
         '{"reason":"retriesUsedUp","code":"","detail":"no","at":1700000000264}', 1, 9223372036854775807, NULL,
         3, x'0190A6B2000070008000000000000001', NULL, NULL, NULL, NULL);
        """

    static let expected = [
        "60 edit created 60 text(\"edited\") false -",
        "61 addReaction created 61 text(\"wave\") false -",
        "62 edit created 0 text(\"later\") false -",
        "63 removeReaction error 55 text(\"wave\") false notHere",
        "64 addReaction error 56 text(\"heart\") true ",
    ]
}
