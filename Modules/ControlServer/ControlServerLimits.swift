/// The limits of the process that serves the control socket, with their units in their names.
package enum ControlServerLimits {
    /// Bytes of the field names and values of one request together, and of any one of them.
    package static let headerBytesMax = 16 * 1024
    package static let headerFieldsMax = 64
    /// Concurrent connections; more wait in the kernel's queue.
    package static let connectionsMax = 256
    /// From a connection's opening, or its last response, until the next request has arrived in full.
    package static let requestSecondsMax: Int64 = 60
    /// Logins that wait for the one that is under way.
    package static let loginsWaitingMax = 16
    /// How often a watch checks for a change, and after how many checks it compares the whole status.
    package static let watchTickMilliseconds = 100
    package static let watchTicksPerLook = 10
    /// How many pages, the longest of a thousand, are searched for one page of a channel and a state.
    package static let looksPerPageMax = 5
    /// How often the wait reasons of followed messages are checked, which change without a commit.
    package static let followLookSeconds = 1
}
