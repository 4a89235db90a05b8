import Foundation

/// How long something took: elapsed, which depends on the other load of the machine, and of the processor.
struct MeasuredTime: Codable {
    let elapsed: Double
    let processor: Double

    init(_ body: () async throws -> Void) async rethrows {
        let before = clock()
        elapsed = try await ContinuousClock().measure(body).seconds
        // The unit that POSIX prescribes.
        processor = Double(clock() - before) / 1e6
    }
}
