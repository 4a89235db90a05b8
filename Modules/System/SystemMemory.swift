#if canImport(Glibc)
    internal import Glibc
#endif

/// The memory that this process holds of the system's.
package enum SystemMemory {
    /// Gives back what is free: glibc keeps the memory of a load for ever by itself. Costs milliseconds.
    package static func giveBackFree() {
        #if canImport(Glibc)
            // The header that declares it is not part of the module.
            typealias Trim = @convention(c) (Int) -> Int32
            guard let function = unsafe dlsym(nil, "malloc_trim") else { return }
            _ = unsafe unsafeBitCast(function, to: Trim.self)(0)
        #endif
    }
}
