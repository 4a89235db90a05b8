package import CausewaySystem

/// Verifies the checksums of all pages in the file of a database, also of those that no query reads.
///
/// The file must not change meanwhile.
package struct PageScan {
    /// The pages with a wrong checksum, in the order of the file; at most ``damagesMax``.
    package private(set) var damages: [PageDamage] = []
    /// The pages that have none because a program without checksums wrote them.
    package private(set) var unprotected = 0

    /// Damages beyond these are not listed: a check reports no more.
    package static let damagesMax = 100

    /// Reads the file in parts. Cost: one read of the whole file; memory for one part.
    ///
    /// - Parameters:
    ///   - pageBytes: the size of a page.
    ///   - leavesOut: true for the number of a page that is not to be verified, because the log has a later one.
    package init(
        of path: String, pageBytes: Int, leavesOut: (Int64) -> Bool = { _ in false },
        progress: (_ bytes: Int64) -> Void = { _ in }
    ) throws(SystemError) {
        guard PageChecksum.isPage(pageBytes) else { return }
        let file = try OpenFile(path, for: .reading)
        let partBytes = max(1, Self.partBytes / pageBytes) * pageBytes
        var offset: Int64 = 0
        while true {
            let part = try file.bytes(at: offset, count: partBytes)
            for start in stride(from: 0, through: part.count - pageBytes, by: pageBytes) {
                let place = offset + Int64(start)
                guard !leavesOut(place / Int64(pageBytes) + 1) else { continue }
                add(part, start..<start + pageBytes, at: place)
            }
            offset += Int64(part.count)
            progress(offset)
            if part.count < partBytes { return }
        }
    }

    private static let partBytes = 1 << 20

    private mutating func add(_ part: [UInt8], _ range: Range<Int>, at offset: Int64) {
        let verdict = unsafe part.withUnsafeBytes { bytes in
            unsafe PageChecksum.verdict(on: UnsafeRawBufferPointer(rebasing: bytes[range]), isFirst: offset == 0)
        }
        switch verdict {
        case .right: break
        case .absent: unprotected += 1
        case .wrong:
            if damages.count < Self.damagesMax { damages.append(PageDamage(offset: offset, bytesCount: range.count)) }
        }
    }
}
