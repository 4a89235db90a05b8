import CausewayBlobs
import CausewayModels
import CausewayStorage
import CausewaySystem
import CausewayTestSupport
import Dispatch
import Testing

/// Releases beside a backup, which copies the files whose names it has read.
@Suite struct BlobHoldTests {
    private let fixture: BlobFixture

    init() throws { fixture = try BlobFixture() }

    /// The backup begins between the deletion of a message and the removal of its file, which waits for a thread.
    @Test func aReleaseThatWasAskedForBeforeWaits() async throws {
        let former = try fixture.open()
        let (one, two) = (try fixture.reference(1), try fixture.reference(2))
        let kept = try await former.add(fileAt: fixture.folder.write("one", to: "a"), for: one, bytesMax: .max)
        await former.close()
        let before = try fixture.names()

        let gate = DispatchSemaphore(value: 0)
        let (copies, copying) = AsyncStream.makeStream(of: Void.self)
        var options = BlobOptions()
        options.copyThreads = 1
        options.intercept = { step in
            if step == .createCopy {
                copying.yield()
                gate.wait()
                // Open from now on.
                gate.signal()
            }
            return nil
        }
        let blobs = try fixture.open(options)
        let source = try fixture.folder.write("two", to: "b")
        async let added = blobs.add(fileAt: source, for: two, bytesMax: .max)
        // Also after a failure the copy has to end.
        defer { gate.signal() }
        for await _ in copies { break }
        let thread = BlockingThreads("releases", .serial)
        let released = Task(executorPreference: thread) { try await blobs.release([one]) }
        // The release waits for the thread of the copies by the time that this runs.
        await Task(executorPreference: thread) {}.value
        let held = try await blobs.holding { () throws(StoreError) in
            gate.signal()
            _ = await released.result
            return (try? fixture.names()) ?? []
        }
        #expect(before.allSatisfy(held.contains))
        _ = try await added
        // It has taken effect afterwards.
        let names = try fixture.names()
        #expect(names.count == 2 && !names.contains(kept.sha256))
        #expect(try await blobs.references(of: one.account) == [two])
        #expect(blobs.violations.isEmpty)
        await blobs.close()
    }

    @Test func whatIsAddedAgainDuringABackupIsKept() async throws {
        let blobs = try fixture.open()
        let (one, two) = (try fixture.reference(1), try fixture.reference(2))
        let source = try fixture.folder.write("one", to: "a")
        let found = try await blobs.add(fileAt: source, for: one, bytesMax: .max)
        _ = try await blobs.add(fileAt: fixture.folder.write("two", to: "b"), for: two, bytesMax: .max)
        let before = try fixture.names()
        let held = try await blobs.holding { () throws(StoreError) in
            try? await blobs.release([one, two])
            let held = (try? fixture.names()) ?? []
            _ = try? await blobs.add(fileAt: source, for: one, bytesMax: .max)
            return held
        }
        #expect(held == before)
        #expect(try await blobs.references(of: one.account) == [one])
        #expect(try await blobs.open(found.sha256).read(at: 0, count: 9) == Array("one".utf8))
        #expect(blobs.violations.isEmpty)
        await blobs.close()
    }
}
