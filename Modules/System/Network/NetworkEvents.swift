#if os(Linux)
    internal import Dispatch
    internal import Synchronization

    #if canImport(Glibc)
        internal import Glibc
    #else
        internal import Musl
    #endif

    /// Calls back when an interface, an address or a route of this machine's network namespace changes; ends with
    /// ``cancel()`` or when it is released. Bursts may come as one call.
    package final class NetworkEvents: Sendable {
        private let source: Mutex<any DispatchSourceRead>

        /// `nil` where the kernel does not report changes, for example in a sandbox.
        ///
        /// - Parameter onChange: called on a queue of its own, one call at a time.
        package init?(onChange: @escaping @Sendable () -> Void) {
            // Constants of <linux/netlink.h> and <linux/rtnetlink.h>.
            let routeFamily: Int32 = 0
            let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400  // links, and addresses and routes of both families
            let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), routeFamily)
            guard descriptor >= 0 else { return nil }
            // struct sockaddr_nl: family, padding, process (0: chosen by the kernel), groups.
            var address = [UInt8](repeating: 0, count: 12)
            address.replaceSubrange(0..<2, with: Self.bytes(of: UInt16(AF_NETLINK)))
            address.replaceSubrange(8..<12, with: Self.bytes(of: groups))
            let isBound = unsafe address.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return unsafe bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), 12) == 0
            }
            guard isBound else {
                _ = close(descriptor)
                return nil
            }
            let queue = DispatchQueue(label: "causeway.network")
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                Self.drain(descriptor)
                onChange()
            }
            source.setCancelHandler { _ = close(descriptor) }
            source.resume()
            self.source = Mutex(source)
        }

        deinit { cancel() }

        /// No call begins after those that are under way.
        package func cancel() { source.withLock { $0.cancel() } }

        /// Discards the waiting messages: the new state is read from the kernel. A lost one (`ENOBUFS`) is a change.
        private static func drain(_ descriptor: Int32) {
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            while unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        }

        private static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
            unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
        }
    }
#elseif canImport(Network)
    internal import Dispatch
    internal import Network

    /// Calls back when the machine's network path changes; ends with ``cancel()`` or when it is released.
    package final class NetworkEvents: Sendable {
        private let monitor = NWPathMonitor()

        /// - Parameter onChange: called on a queue of its own, one call at a time.
        package init?(onChange: @escaping @Sendable () -> Void) {
            monitor.pathUpdateHandler = { _ in onChange() }
            monitor.start(queue: DispatchQueue(label: "causeway.network"))
        }

        deinit { monitor.cancel() }

        /// No call begins after those that are under way.
        package func cancel() { monitor.cancel() }
    }
#endif
