package import HTTPTypes

/// Allows the body of the present request to be longer, and to take longer, than `ConnectionLimits` allow.
///
/// Triggered as an outbound event on the connection's channel before the body is read. A client that expects it is told
/// to continue.
package struct StreamedBody: Sendable, Hashable {
    /// Bytes of the body; past it the connection is closed.
    package var bytesMax: Int64
    /// Bytes in a second that the client has to send while the server waits for them; below it the connection is
    /// closed.
    package var bytesPerSecondMin: Int64
    /// The shortest wait, in seconds, after which the client can be too slow.
    package var graceSeconds: Int64

    package init(bytesMax: Int64, bytesPerSecondMin: Int64, graceSeconds: Int64) {
        self.bytesMax = bytesMax
        self.bytesPerSecondMin = bytesPerSecondMin
        self.graceSeconds = graceSeconds
    }
}

extension HTTPFields {
    /// Whether a client sends the body only once it is told to continue (RFC 9110 §10.1.1).
    package var expectsContinue: Bool { self[.expect]?.lowercased() == "100-continue" }
}
