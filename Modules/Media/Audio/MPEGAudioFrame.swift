/// The header of one frame of MPEG audio, layer 3.
struct MPEGAudioFrame: Equatable {
    let bitsPerSecond: Int
    let samplesPerSecond: Int
    /// MPEG 1; otherwise 2 or 2.5, whose frames are half as long.
    let isFirstVersion: Bool
    let isMono: Bool
    /// The length of the frame in bytes, with its header.
    let bytes: Int

    private static let firstRates = [44_100, 48_000, 32_000]
    private static let firstKilobits = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let secondKilobits = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    /// - Parameter header: the first four bytes of the frame; `nil` unless they are a valid header of layer 3.
    init?(header: UInt64) {
        let version = header >> 19 & 3
        guard header >> 21 == 0x7FF, version != 1, header >> 17 & 3 == 1 else { return nil }
        let rate = Int(header >> 10 & 3)
        // The first and the last number are a free rate and none at all.
        let bits = Int(header >> 12 & 15)
        guard rate < 3, (1...14).contains(bits) else { return nil }
        isFirstVersion = version == 3
        let divisor = isFirstVersion ? 1 : version == 2 ? 2 : 4
        samplesPerSecond = Self.firstRates[rate] / divisor
        bitsPerSecond = (isFirstVersion ? Self.firstKilobits : Self.secondKilobits)[bits - 1] * 1000
        isMono = header >> 6 & 3 == 3
        bytes = (isFirstVersion ? 144 : 72) * bitsPerSecond / samplesPerSecond + Int(header >> 9 & 1)
    }

    /// The number of samples of each channel.
    var samples: Int { isFirstVersion ? 1152 : 576 }

    /// The bytes between the header and the samples.
    var sideBytes: Int {
        switch (isFirstVersion, isMono) {
        case (true, false): 32
        case (true, true), (false, false): 17
        case (false, true): 9
        }
    }

    /// Whether both can be frames of one stream.
    func isLike(_ other: MPEGAudioFrame) -> Bool {
        isFirstVersion == other.isFirstVersion && samplesPerSecond == other.samplesPerSecond
    }
}
