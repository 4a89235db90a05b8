/// A box of the ISO base media file format: MP4, QuickTime, HEIF.
struct ISOBox: Equatable {
    /// The four characters of its type as a number.
    let type: UInt64
    /// The offset of its content.
    let start: Int64
    /// The offset behind its content, never beyond the box that contains it.
    let end: Int64
}

/// The boxes in a part of a file, one after the other. Lengths are cut at the end of the part.
struct ISOBoxes {
    private var next: Int64
    private let end: Int64

    init(from start: Int64, to end: Int64) {
        next = start
        self.end = end
    }

    /// The boxes in a box.
    ///
    /// - Parameter prefix: the bytes of the content in front of the first box.
    init(in box: ISOBox, after prefix: Int64 = 0) { self.init(from: box.start + prefix, to: box.end) }

    mutating func next(_ file: inout BoundedReader) -> ISOBox? {
        guard next <= end - 8, let length = file.bigEndian(at: next, bytes: 4),
            let type = file.bigEndian(at: next + 4, bytes: 4)
        else { return nil }
        let start = next
        let content: Int64
        let bytes: UInt64
        switch length {
        case 0:
            content = start + 8
            bytes = UInt64(end - start)
        case 1:
            guard start <= end - 16, let long = file.bigEndian(at: start + 8, bytes: 8), long >= 16 else { return nil }
            content = start + 16
            bytes = long
        default:
            guard length >= 8 else { return nil }
            content = start + 8
            bytes = length
        }
        next = min(start.advanced(past: bytes), end)
        return ISOBox(type: type, start: content, end: next)
    }

    /// The first box of a type from here on.
    mutating func first(_ type: StaticString, _ file: inout BoundedReader) -> ISOBox? {
        let wanted = ISOBox.type(type)
        while let box = next(&file) {
            if box.type == wanted { return box }
        }
        return nil
    }
}

extension ISOBox {
    /// The number of four characters.
    static func type(_ text: StaticString) -> UInt64 { "\(text)".utf8.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The first box of a type among the boxes of this one.
    func child(_ type: StaticString, after prefix: Int64 = 0, _ file: inout BoundedReader) -> ISOBox? {
        var boxes = ISOBoxes(in: self, after: prefix)
        return boxes.first(type, &file)
    }
}

/// The brands that a file declares at its start: the formats that may read it.
struct ISOBrands {
    /// Brands that are looked at; files have fewer than ten.
    private static let countMax = 32

    /// The brand that the file was made for.
    let major: String
    let all: Set<String>

    /// `nil` unless the file begins with its brands.
    init?(_ file: inout BoundedReader) {
        guard file.has("ftyp", at: 4) else { return nil }
        var boxes = ISOBoxes(from: 0, to: file.size)
        guard let box = boxes.next(&file), let major = file.bytes(at: box.start, count: 4) else { return nil }
        self.major = String(decoding: major, as: UTF8.self)
        var all: Set<String> = [self.major]
        // The version of the major brand stands between it and the others.
        var offset = box.start + 8
        while offset <= box.end - 4, all.count < Self.countMax, let brand = file.bytes(at: offset, count: 4) {
            all.insert(String(decoding: brand, as: UTF8.self))
            offset += 4
        }
        self.all = all
    }
}
