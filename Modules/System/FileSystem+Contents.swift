#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The content of folders and disks.
extension FileSystem {
    /// The names in a folder without `.` and `..`, in no order: all of them, or an error.
    package static func names(in folder: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw .last }
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // The end is told from a failure only by the error number.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw .last }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                let capacity = unsafe MemoryLayout.size(ofValue: pointer.pointee)
                return unsafe pointer.withMemoryRebound(to: CChar.self, capacity: capacity) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Bytes that this process may still write to the disk of a file or folder.
    package static func freeBytes(at path: String) throws(SystemError) -> Int64 {
        var found = statvfs()
        guard unsafe statvfs(path, &found) == 0 else { throw .last }
        return Int64(
            clamping: UInt64(found.f_bavail).multipliedReportingOverflow(by: UInt64(found.f_frsize)).partialValue)
    }
}
