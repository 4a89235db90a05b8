#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Socket options that are not available on every system.
package enum SocketOptionNumber {
    /// A TCP option: the number of unsent bytes that a socket accepts beyond those in transit; nil if the system has no
    /// such limit.
    package static var unsentBytes: CInt? {
        #if canImport(Glibc) || canImport(Darwin)
            TCP_NOTSENT_LOWAT
        #else
            nil
        #endif
    }
}
