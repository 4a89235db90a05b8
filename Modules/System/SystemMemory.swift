#if canImport(Glibc)
    internal import Glibc
#endif

/// The memory that this process holds.
package enum SystemMemory {
    /// Heaps that threads share; by default glibc creates eight for each core, each of which keeps its free memory.
    private static let arenasMax: CInt = 4
    /// A block of at least this size is returned to the system as soon as it is free. By default glibc raises this
    /// threshold with each such block.
    private static let returnedBlockBytes: CInt = 1024 * 1024
    /// Free bytes at the end of the heap from which on they are returned.
    private static let freeBytesMax: CInt = 8 * 1024 * 1024

    /// Limits the free memory that this process keeps. Called once, at its start.
    package static func boundFree() {
        #if canImport(Glibc)
            // M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of a header that is not part of the module.
            typealias Setting = @convention(c) (CInt, CInt) -> CInt
            guard let function = unsafe dlsym(nil, "mallopt") else { return }
            let set = unsafe unsafeBitCast(function, to: Setting.self)
            _ = set(-8, arenasMax)
            _ = set(-3, returnedBlockBytes)
            _ = set(-1, freeBytesMax)
        #endif
    }

    /// Returns free memory to the system: by default glibc keeps the memory of a peak load indefinitely. Takes
    /// milliseconds.
    package static func giveBackFree() {
        #if canImport(Glibc)
            // The header that declares it is not part of the module.
            typealias Trim = @convention(c) (Int) -> Int32
            guard let function = unsafe dlsym(nil, "malloc_trim") else { return }
            _ = unsafe unsafeBitCast(function, to: Trim.self)(0)
        #endif
    }
}
