#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Options of sockets that not every system has.
package enum SocketOptionNumber {
    /// Of TCP: how many bytes a socket takes beyond those that are on their way; nil where there is no such bound.
    package static var unsentBytes: CInt? {
        #if canImport(Glibc) || canImport(Darwin)
            TCP_NOTSENT_LOWAT
        #else
            nil
        #endif
    }
}
