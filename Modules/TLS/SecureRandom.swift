internal import COpenSSL

/// Random bytes for secrets, from OpenSSL.
package enum SecureRandom {
    /// `count` bytes suitable for keys and tokens. Stops the process if the system's random source fails, because no
    /// secret can be created then.
    package static func bytes(_ count: Int) -> [UInt8] {
        precondition((0...1_048_576).contains(count), "SecureRandom.bytes is for secrets, up to 1 MiB")
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            guard count > 0 else { return }
            guard unsafe RAND_bytes(output.baseAddress, Int32(count)) == 1 else {
                preconditionFailure("The system's random source failed; no secret can be made safely.")
            }
            filled = count
        }
    }
}
