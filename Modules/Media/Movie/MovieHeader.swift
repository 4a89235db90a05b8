/// The header of an MP4, M4A, QuickTime or 3GPP file, which may stand at its end.
enum MovieHeader {
    /// A time by a clock of the file.
    private struct Time {
        var units: UInt64
        var perSecond: UInt64

        var seconds: Double { Double(units) / Double(perSecond) }
    }

    /// A track of the movie.
    private struct Track {
        var isVideo = false
        var isAudio = false
        var width: UInt64 = 0
        var height: UInt64 = 0
        var isTurned = false
        var duration: Time?
    }

    static func describe(_ file: inout BoundedReader) -> MediaDescription? {
        guard let brands = ISOBrands(&file), let type = contentType(brands) else { return nil }
        var found = MediaDescription(type)
        var boxes = ISOBoxes(from: 0, to: file.size)
        guard let movie = boxes.first("moov", &file) else { return found }
        let tracks = tracks(movie, &file)
        if type == "video/mp4", !tracks.contains(where: \.isVideo), tracks.contains(where: \.isAudio) {
            found.contentType = "audio/mp4"
        }
        if let video = tracks.first(where: { $0.isVideo && $0.width > 0 && $0.height > 0 }) {
            found.setSize(video.width, video.height, isTurned: video.isTurned)
        }
        if let duration = duration(movie, &file) {
            found.setDuration(duration.units, perSecond: duration.perSecond)
        } else if let longest = tracks.compactMap(\.duration).max(by: { $0.seconds < $1.seconds }) {
            found.setDuration(longest.units, perSecond: longest.perSecond)
        }
        return found
    }

    private static func contentType(_ brands: ISOBrands) -> String? {
        switch brands.major {
        case "M4A ", "M4B ", "M4P ", "F4A ", "F4B ": "audio/mp4"
        case "qt  ": "video/quicktime"
        case let brand where brand.hasPrefix("3gp"): "video/3gpp"
        case let brand where brand.hasPrefix("3g2"): "video/3gpp2"
        case let brand
        where ["isom", "mp41", "mp42", "avc1", "M4V ", "M4VH", "M4VP", "dash", "mmp4", "F4V ", "MSNV"].contains(brand)
            || brand.hasPrefix("iso"):
            "video/mp4"
        default: nil
        }
    }

    /// The duration in the movie's header, or in that of its fragments; `nil` where it is left to the tracks.
    private static func duration(_ movie: ISOBox, _ file: inout BoundedReader) -> Time? {
        guard let header = movie.child("mvhd", &file), var stated = time(header, &file) else { return nil }
        if stated.units > 0 { return stated }
        guard let fragments = movie.child("mvex", &file), let box = fragments.child("mehd", &file),
            let version = file.bigEndian(at: box.start, bytes: 1),
            let units = file.bigEndian(at: box.start + 4, bytes: version == 1 ? 8 : 4), units > 0
        else { return nil }
        stated.units = units
        return stated
    }

    /// The duration in a movie's or a medium's header, by its clock; 0 where it is unknown.
    private static func time(_ header: ISOBox, _ file: inout BoundedReader) -> Time? {
        guard let version = file.bigEndian(at: header.start, bytes: 1) else { return nil }
        // Behind the times of creation and change.
        let clock = header.start + (version == 1 ? 20 : 12)
        let bytes = version == 1 ? 8 : 4
        guard let perSecond = file.bigEndian(at: clock, bytes: 4), perSecond > 0,
            let units = file.bigEndian(at: clock + 4, bytes: bytes)
        else { return nil }
        let unknown: UInt64 = version == 1 ? .max : UInt64(UInt32.max)
        return Time(units: units == unknown ? 0 : units, perSecond: perSecond)
    }

    private static func tracks(_ movie: ISOBox, _ file: inout BoundedReader) -> [Track] {
        var tracks: [Track] = []
        var boxes = ISOBoxes(in: movie)
        while tracks.count < MediaLimits.tracksMax, let box = boxes.first("trak", &file) {
            tracks.append(track(box, &file))
        }
        return tracks
    }

    private static func track(_ box: ISOBox, _ file: inout BoundedReader) -> Track {
        var track = Track()
        if let header = box.child("tkhd", &file) { setSize(of: &track, header, &file) }
        guard let medium = box.child("mdia", &file) else { return track }
        if let handler = medium.child("hdlr", &file) {
            track.isVideo = file.has("vide", at: handler.start + 8)
            track.isAudio = file.has("soun", at: handler.start + 8)
        }
        if let header = medium.child("mdhd", &file), let time = time(header, &file), time.units > 0 {
            track.duration = time
        }
        return track
    }

    /// Reads the size of the track's display, as fixed-point numbers, and the matrix in front of it.
    private static func setSize(of track: inout Track, _ header: ISOBox, _ file: inout BoundedReader) {
        guard let version = file.bigEndian(at: header.start, bytes: 1) else { return }
        let matrix = header.start + (version == 1 ? 52 : 40)
        guard matrix + 44 <= header.end, let a = file.bigEndian(at: matrix, bytes: 4),
            let b = file.bigEndian(at: matrix + 4, bytes: 4), let width = file.bigEndian(at: matrix + 36, bytes: 4),
            let height = file.bigEndian(at: matrix + 40, bytes: 4)
        else { return }
        track.isTurned = a == 0 && b != 0
        track.width = width >> 16
        track.height = height >> 16
    }
}
