/// Reads values from a file that nobody vouches for, within a budget.
///
/// Every method returns `nil` where the file ends, or where the budget is used up: a parser stops there, and has found
/// what it found. No offset, however large, traps.
struct BoundedReader {
    /// The size of the file in bytes.
    let size: Int64

    private let fetch: (_ offset: Int64, _ count: Int) -> [UInt8]
    private var head: Window
    private var window: Window
    private(set) var readsLeft = MediaLimits.readsMax
    private(set) var bytesLeft = MediaLimits.bytesMax
    private var stepsLeft = MediaLimits.stepsMax

    /// A part of the file in memory.
    private struct Window {
        var start: Int64 = 0
        var bytes: [UInt8] = []

        /// The position of `count` bytes at an offset of the file; `nil` unless all are here.
        func position(of offset: Int64, _ count: Int) -> Int? {
            guard offset >= start, offset - start <= Int64(bytes.count) else { return nil }
            let position = Int(offset - start)
            return bytes.count - position >= count ? position : nil
        }
    }

    /// - Parameter fetch: returns at most `count` bytes from an offset; fewer count as the end of the file.
    init(size: Int64, fetch: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]) {
        // Sums of offsets and of the constants of a format do not overflow below this bound.
        self.size = min(max(size, 0), 1 << 58)
        self.fetch = fetch
        head = Window()
        window = Window()
        head = load(at: 0, Int(min(self.size, Int64(MediaLimits.headBytes)))) ?? Window()
    }

    /// The first bytes of the file.
    var firstBytes: [UInt8] { head.bytes }

    private mutating func load(at offset: Int64, _ count: Int) -> Window? {
        guard readsLeft > 0, count <= bytesLeft else { return nil }
        readsLeft -= 1
        bytesLeft -= count
        let bytes = fetch(offset, count)
        return Window(start: offset, bytes: bytes.count > count ? Array(bytes.prefix(count)) : bytes)
    }

    /// Calls `body` with the window that contains `count` bytes at `offset`, and their position in it.
    private mutating func with<Value>(
        _ offset: Int64, _ count: Int, _ body: (_ bytes: [UInt8], _ position: Int) -> Value
    ) -> Value? {
        guard stepsLeft > 0, offset >= 0, offset <= size, size - offset >= Int64(count) else { return nil }
        stepsLeft -= 1
        if let position = head.position(of: offset, count) { return body(head.bytes, position) }
        if window.position(of: offset, count) == nil {
            let wanted = Int(min(size - offset, Int64(max(count, MediaLimits.windowBytes))))
            guard let loaded = load(at: offset, wanted) else { return nil }
            window = loaded
        }
        return window.position(of: offset, count).map { body(window.bytes, $0) }
    }

    /// The bytes at an offset.
    mutating func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        with(offset, count) { bytes, position in Array(bytes[position..<position + count]) }
    }

    /// Whether the file has these bytes at an offset.
    mutating func has(_ text: StaticString, at offset: Int64) -> Bool {
        let expected = Array("\(text)".utf8)
        return with(offset, expected.count) { bytes, position in
            bytes[position..<position + expected.count].elementsEqual(expected)
        } ?? false
    }

    /// A number of 1 to 8 bytes, the most significant one first.
    mutating func bigEndian(at offset: Int64, bytes count: Int) -> UInt64? {
        with(offset, count) { bytes, position in
            bytes[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// A number of 1 to 8 bytes, the least significant one first.
    mutating func littleEndian(at offset: Int64, bytes count: Int) -> UInt64? {
        with(offset, count) { bytes, position in
            bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

extension Int64 {
    /// The offset `count` bytes further on; the largest offset where that is beyond all files.
    func advanced(past count: UInt64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(Int64(clamping: count))
        return overflow ? .max : sum
    }
}
