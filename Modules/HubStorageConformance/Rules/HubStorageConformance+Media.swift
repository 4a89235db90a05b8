import CausewayHubRules
import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let uploadRules: [Rule] = [
        Rule("an upload is stored unless it is refused, and counts until it is complete or removed") { factory in
            var site = try await Site(factory)
            try await site.begin(1, of: 1, by: site.ada)
            try await site.begin(2, of: 2, by: site.ada, at: 11)
            try await site.begin(3, of: 3, by: site.bob)
            let expected = MediaUsage(pendingUploads: 2, pendingBytes: 300)
            let refused = try await site.storage.addUpload(Site.upload(4, of: 4, by: site.ada)) { $0 }
            try requireEqual(refused, expected, "the files that the refusal sees")
            try requireEqual(try await site.storage.upload(Site.upload(4)), nil, "a refused upload")
            site = try await Site(factory.reopen(site.storage))
            try requireEqual(
                try await site.storage.upload(Site.upload(2)), Site.upload(2, of: 2, by: site.ada, at: 11),
                "a stored upload")
            try requireEqual(try await site.storage.mediaUsage(of: site.ada), expected, "the files of the account")
            try await site.storage.removeUpload(Site.upload(2))
            try await site.storage.removeUpload(Site.upload(2))
            try requireEqual(try await site.storage.upload(Site.upload(2)), nil, "a removed upload")
            try requireEqual(
                try await site.storage.mediaUsage(of: site.ada), MediaUsage(pendingUploads: 1, pendingBytes: 100),
                "the files after the removal")
        },
        Rule("a complete upload is a blob that its account has uploaded once") { factory in
            var site = try await Site(factory)
            try await site.store(1, by: site.ada)
            try await site.begin(2, of: 1, by: site.ada)
            try await site.complete(2, at: 30)
            try await site.begin(3, of: 1, by: site.bob)
            try await site.complete(3, at: 25)
            try require(
                try await !site.storage.completeUpload(Site.upload(9), servedAs: "a/b", at: Site.time(1)),
                "an unknown upload was completed")
            site = try await Site(factory.reopen(site.storage))
            for account in [site.ada, site.bob] {
                try requireEqual(
                    try await site.storage.mediaUsage(of: account), MediaUsage(storedBytes: 100), "the stored files")
            }
            try requireEqual(
                try await site.storage.upload(Site.upload(2))?.completedAt, Site.time(30), "the time of completion")
            try requireEqual(
                try await site.read(1)?.blob, HubBlob(name: Site.blob(1), size: 100, type: "image/png"), "the blob")
            try requireEqual(
                try await site.storage.blobs(among: [Site.blob(1), Site.blob(2)]), [Site.blob(1)], "the known names")
            // Since its last completion.
            try requireEqual(try await site.unattached(since: 24), [], "unattached before")
            try requireEqual(try await site.unattached(since: 25), [Site.blob(1)], "unattached since")
        },
        Rule("the pending uploads of an account are listed from the oldest on") { factory in
            var site = try await Site(factory)
            try await site.begin(2, of: 2, by: site.ada, at: 11)
            try await site.begin(1, of: 1, by: site.ada)
            try await site.begin(3, of: 3, by: site.bob)
            try await site.begin(4, of: 4, by: site.ada)
            try await site.begin(5, of: 5, by: site.ada)
            try await site.complete(4, at: 20)
            try await site.storage.removeUpload(Site.upload(5))
            site = try await Site(factory.reopen(site.storage))
            try requireEqual(
                try await site.storage.pendingUploads(of: site.ada),
                [Site.upload(1, of: 1, by: site.ada), Site.upload(2, of: 2, by: site.ada, at: 11)], "the uploads")
        },
        Rule("a blob has the type of its last completion") { factory in
            let site = try await Site(factory)
            for (number, type) in [(1, InlineMediaType.bytes), (2, "image/png"), (3, InlineMediaType.bytes)]
                as [(UInt8, String)]
            {
                try await site.begin(number, of: 1, by: site.ada)
                _ = try await site.storage.completeUpload(
                    Site.upload(number), servedAs: type, at: Site.time(Int64(number)))
                try requireEqual(try await site.read(1)?.blob.type, type, "the type after upload \(number)")
            }
        },
        Rule("uploads are listed from the oldest on, by a limit") { factory in
            let site = try await Site(factory)
            for (number, time) in [(4, 10), (1, 20), (3, 10), (2, 30)] as [(UInt8, Int64)] {
                try await site.begin(number, of: number, by: site.ada, at: time)
            }
            let first = try await site.storage.uploads(createdBy: Site.time(20), after: nil, limit: 2)
            try requireEqual(first.map(\.id), [3, 4].map(Site.upload), "the first page")
            let second = try await site.storage.uploads(createdBy: Site.time(20), after: first.last, limit: 2)
            try requireEqual(second.map(\.id), [Site.upload(1)], "the second page")
        },
    ]

    static let blobRules: [Rule] = [
        Rule("a blob is read by its uploaders and by the members of the channels of its messages") { factory in
            let site = try await Site(factory)
            try await site.apply([.member(Site.bob, version: 1), .member(Site.bob, in: Site.second, version: 1)])
            try await site.store(1, by: site.ada)
            try requireEqual(try await site.read(1, for: Site.bob), nil, "a blob of another account")
            try requireEqual(try await site.read(2), nil, "an unknown blob")
            try await site.attach(1, to: 1, by: site.ada, in: Site.second)
            try require(try await site.read(1, for: Site.bob) != nil, "a member cannot read the blob of a message")
            try requireEqual(
                try await site.read(1, for: Site.bob, through: 1)?.fileName, "1.png", "the name in the message")
            try await site.apply([.send(2, by: site.ada)])
            for message in [2, 3] {
                try requireEqual(
                    try await site.read(1, for: Site.bob, through: message), nil, "through another message")
                try requireEqual(
                    try await site.read(1, through: message), ReadableBlob(blob: .init(Site.blob(1))),
                    "by the uploader, through another message")
            }
            try await site.apply([.member(Site.bob, in: Site.second, version: 2, isMember: false)])
            try requireEqual(try await site.read(1, for: Site.bob), nil, "the blob for a removed member")
            try requireEqual(
                try await site.read(1, for: Site.bob, through: 1), nil, "through the message, for a removed member")
        },
        Rule("a delivery loads the sizes of the blobs that its account may read") { factory in
            let site = try await Site(factory)
            try await site.apply([.member(Site.bob, version: 1)])
            try await site.store(1, by: site.ada)
            try await site.store(2, by: site.ada)
            try await site.attach(2, to: 1, by: site.ada)
            var keys = DeliveryKeys()
            for user in [Site.ada, Site.bob] {
                for blob in [1, 2, 3] as [UInt8] {
                    keys.blobs.insert(BlobKey(requester: site.requester(user), blob: Site.blob(blob)))
                }
            }
            let blobs = try await site.load(keys).blobs
            try requireEqual(
                blobs,
                [
                    BlobKey(requester: site.requester(Site.ada), blob: Site.blob(1)): 100,
                    BlobKey(requester: site.requester(Site.ada), blob: Site.blob(2)): 200,
                    BlobKey(requester: site.requester(Site.bob), blob: Site.blob(2)): 200,
                ], "the readable blobs")
            var typed = DeliveryKeys()
            typed.messages = [Site.id(1)]
            try requireEqual(
                try await site.load(typed).messages[Site.id(1)]?.attachment, nil, "an attachment that was not requested"
            )
            typed.typed = [Site.id(1)]
            let message = try await site.load(typed).messages[Site.id(1)]
            try requireEqual(message?.attachment, Site.blob(2), "the attachment of a message")
            try requireEqual(message?.type, "image", "its type")
        },
        Rule("a blob is kept while a message is attached to it, and for a time after the last one") { factory in
            var site = try await Site(factory)
            try await site.store(1, by: site.ada)
            try await site.store(2, by: site.ada, at: 15)
            try await site.attach(1, to: 1, by: site.ada)
            try await site.attach(1, to: 2, by: site.ada)
            try requireEqual(try await site.unattached(since: 1000), [Site.blob(2)], "attached to nothing")
            // Completed again, as by another device.
            try await site.begin(3, of: 1, by: site.ada)
            try await site.complete(3, at: 40)
            try require(
                try await !site.storage.removeBlob(Site.blob(1), unattachedSince: Site.time(1000)),
                "an attached blob was removed")
            try await site.apply([.delete(1)])
            try requireEqual(try await site.unattached(since: 1000), [Site.blob(2)], "one of two messages was deleted")
            try await site.apply([.delete(2)])
            site = try await Site(factory.reopen(site.storage))
            try requireEqual(try await site.unattached(since: 69), [Site.blob(2)], "before the last deletion")
            try requireEqual(
                try await site.unattached(since: 70), [Site.blob(2), Site.blob(1)], "since the last deletion")
            try require(
                try await !site.storage.removeBlob(Site.blob(1), unattachedSince: Site.time(69)), "removed early")
            try requireEqual(
                try await site.storage.mediaUsage(of: site.ada), MediaUsage(storedBytes: 300), "the stored files")
            for _ in 1...2 {
                try require(
                    try await site.storage.removeBlob(Site.blob(1), unattachedSince: Site.time(70)), "not removed")
            }
            try requireEqual(try await site.read(1), nil, "a removed blob")
            try requireEqual(
                try await site.storage.mediaUsage(of: site.ada), MediaUsage(storedBytes: 200), "the files that remain")
            try await site.begin(4, of: 1, by: site.bob)
            try await site.complete(4, at: 80)
            try requireEqual(try await site.read(1), nil, "a former uploader after the removal")
        },
    ]
}

extension HubBlob {
    fileprivate init(_ name: BlobName) { self.init(name: name, size: 100, type: "image/png") }
}
