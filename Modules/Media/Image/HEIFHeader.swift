/// The metadata of a HEIC, HEIF or AVIF file: the size of its primary image after cropping and rotation.
enum HEIFHeader {
    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard let brands = ISOBrands(&file), let type = contentType(brands) else { return nil }
        var found = MediaDescription(type)
        var boxes = ISOBoxes(from: 0, to: file.size)
        guard let meta = boxes.first("meta", &file), let item = primaryItem(meta, &file),
            let properties = meta.child("iprp", after: 4, &file), let list = properties.child("ipco", &file)
        else { return found }
        let size = size(list, propertyIndices(of: item, properties, &file), &file)
        found.setSize(size.width, size.height, isTurned: size.isTurned)
        return found
    }

    /// The size that the properties of an image state. A coder rounds a size up to its blocks, and states the part that
    /// is displayed.
    private static func size(
        _ list: ISOBox, _ indices: Set<UInt64>, _ file: inout BoundedReader
    ) -> (width: UInt64?, height: UInt64?, isTurned: Bool) {
        var coded: (width: UInt64?, height: UInt64?)
        var displayed: (width: UInt64?, height: UInt64?)
        var isTurned = false
        var index: UInt64 = 0
        var properties = ISOBoxes(in: list)
        while let property = properties.next(&file) {
            index += 1
            guard indices.contains(index) else { continue }
            if property.type == ISOBox.type("ispe") {
                coded = (
                    file.bigEndian(at: property.start + 4, bytes: 4), file.bigEndian(at: property.start + 8, bytes: 4)
                )
            } else if property.type == ISOBox.type("clap") {
                displayed = (quotient(at: property.start, &file), quotient(at: property.start + 8, &file))
            } else if property.type == ISOBox.type("irot") {
                // Quarters of a turn.
                isTurned = (file.bigEndian(at: property.start, bytes: 1) ?? 0) & 1 == 1
            }
        }
        return (displayed.width ?? coded.width, displayed.height ?? coded.height, isTurned)
    }

    /// A numerator and its denominator.
    private static func quotient(at offset: Int64, _ file: inout BoundedReader) -> UInt64? {
        guard let numerator = file.bigEndian(at: offset, bytes: 4),
            let denominator = file.bigEndian(at: offset + 4, bytes: 4), denominator > 0
        else { return nil }
        return numerator / denominator
    }

    private static func contentType(_ brands: ISOBrands) -> String? {
        switch brands.major {
        case "avif", "avis": return "image/avif"
        case "heic", "heix", "heim", "heis": return "image/heic"
        case "hevc", "hevx", "hevm", "hevs": return "image/heic-sequence"
        // The general brands of the format: the others name the coding.
        case "mif1", "msf1", "mif2":
            if brands.all.contains("avif") { return "image/avif" }
            return brands.all.contains("heic") || brands.all.contains("heix") ? "image/heic" : "image/heif"
        default: return nil
        }
    }

    private static func primaryItem(_ meta: ISOBox, _ file: inout BoundedReader) -> UInt64? {
        guard let box = meta.child("pitm", after: 4, &file), let version = file.bigEndian(at: box.start, bytes: 1)
        else { return nil }
        return file.bigEndian(at: box.start + 4, bytes: version == 0 ? 2 : 4)
    }

    /// The numbers, from 1, of the properties of an item in the list of properties.
    private static func propertyIndices(
        of item: UInt64, _ properties: ISOBox, _ file: inout BoundedReader
    ) -> Set<UInt64> {
        guard let box = properties.child("ipma", &file), let head = file.bigEndian(at: box.start, bytes: 4),
            let count = file.bigEndian(at: box.start + 4, bytes: 4)
        else { return [] }
        let itemBytes = head >> 24 == 0 ? 2 : 4
        let indexBytes = head & 1 == 0 ? 1 : 2
        let indexMask: UInt64 = indexBytes == 1 ? 0x7F : 0x7FFF
        var offset = box.start + 8
        // The reader's budget ends the loop where the count lies.
        var left = count
        while left > 0 {
            left -= 1
            guard let name = file.bigEndian(at: offset, bytes: itemBytes),
                let associations = file.bigEndian(at: offset + Int64(itemBytes), bytes: 1)
            else { return [] }
            offset += Int64(itemBytes) + 1
            if name == item {
                return Set(
                    (0..<Int64(associations)).compactMap {
                        file.bigEndian(at: offset + $0 * Int64(indexBytes), bytes: indexBytes).map { $0 & indexMask }
                    })
            }
            offset += Int64(associations) * Int64(indexBytes)
        }
        return []
    }
}
