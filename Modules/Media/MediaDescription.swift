internal import CausewayModels

/// The type of a file and the size of its display, as its bytes say.
package struct MediaDescription: Sendable, Hashable {
    /// The media type in lower case, without parameters.
    package var contentType: String
    /// The width of an image or a video as it is displayed, in pixels; `nil` if it is unknown.
    package var width: Int?
    /// The height of an image or a video as it is displayed, in pixels; `nil` if it is unknown.
    package var height: Int?
    /// The duration of audio or video in milliseconds; `nil` if it is unknown.
    package var duration: Int64?

    /// The type of a file that is of no known format.
    package static let unknownType = "application/octet-stream"

    package init(_ contentType: String, width: Int? = nil, height: Int? = nil, duration: Int64? = nil) {
        self.contentType = contentType
        self.width = width
        self.height = height
        self.duration = duration
    }

    /// Sets both sides if both are in their range, exchanged if the picture is displayed on its side.
    mutating func setSize(_ width: UInt64?, _ height: UInt64?, isTurned: Bool = false) {
        guard let width = width.flatMap(Int.init(exactly:)).flatMap(Attachment.side),
            let height = height.flatMap(Int.init(exactly:)).flatMap(Attachment.side)
        else { return }
        self.width = isTurned ? height : width
        self.height = isTurned ? width : height
    }

    /// Sets the duration of `units` at a number of units per second, if it is in its range.
    mutating func setDuration(_ units: UInt64, perSecond: UInt64) {
        guard perSecond > 0 else { return }
        // Split so that no product overflows.
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: perSecond)
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let part = rest.multipliedFullWidth(by: 1000)
        guard !overflow else { return }
        let (sum, carry) = whole.addingReportingOverflow(perSecond.dividingFullWidth(part).quotient)
        guard !carry else { return }
        duration = Attachment.duration(Int64(exactly: sum))
    }
}
