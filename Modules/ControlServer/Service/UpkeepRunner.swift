package import CausewayControlAPI
import CausewayMaintenance
import CausewayStorage
import Synchronization

/// Runs one work at a time on the open store, and remembers the last one.
final class UpkeepRunner: Sendable {
    private let store: (any StoreUpkeep)?
    private let folder: String
    private let last = Mutex<UpkeepStatus?>(nil)

    /// - Parameter folder: the folder of the store.
    init(store: (any StoreUpkeep)?, folder: String) {
        self.store = store
        self.folder = folder
    }

    var status: UpkeepStatus? { last.withLock { $0 } }

    func begin(_ request: UpkeepRequest) async throws(ControlError) -> UpkeepStatus {
        guard let store else {
            throw ControlError(.badRequest, "the store of this process can be neither copied nor compacted")
        }
        let target = try Self.target(of: request)
        let before: Int64
        do throws(StoreError) { before = try await store.bytesOnDisk() } catch { throw ControlError(error) }
        let begun: UpkeepStatus? = last.withLock { last in
            if let last, last.isRunning { return nil }
            let status = UpkeepStatus(number: (last?.number ?? 0) + 1, work: request.work, bytesBefore: before)
            last = status
            return status
        }
        guard let begun else {
            throw ControlError(.busy, "another work on the store is under way; wait for its end")
        }
        // The work outlives the request. The end of the process cuts it off: an incomplete backup keeps its mark.
        Task { await self.run(target, on: store) }
        return begun
    }

    private static func target(of request: UpkeepRequest) throws(ControlError) -> String? {
        switch (request.work, request.to) {
        case (.backup, let to?) where to.hasPrefix("/") && to.utf8.count <= ControlLimits.pathBytesMax: return to
        case (.backup, _): throw ControlError(.badRequest, "`to` must be an absolute path")
        case (.compact, nil): return nil
        case (.compact, _): throw ControlError(.badRequest, "compacting takes no path")
        }
    }

    /// - Parameter target: the folder of a backup; `nil` to compact the store.
    private func run(_ target: String?, on store: any StoreUpkeep) async {
        let report: @Sendable (UpkeepProgress) -> Void = { progress in
            self.last.withLock { last in
                last?.done = progress.done
                last?.total = progress.total
            }
        }
        do throws(StoreError) {
            let after: Int64
            if let target {
                after = try await StoreBackup(of: folder, to: target).run(store, progress: report)
            } else {
                try await store.compact(progress: report)
                after = try await store.bytesOnDisk()
            }
            end { $0.bytesAfter = after }
        } catch {
            end { $0.problem = ProblemDTO(ControlError(error)) }
        }
    }

    private func end(_ body: (inout UpkeepStatus) -> Void) {
        last.withLock { last in
            guard var status = last else { return }
            status.isRunning = false
            body(&status)
            last = status
        }
    }
}

extension ClientControlService {
    package func beginUpkeep(_ request: UpkeepRequest) async throws(ControlError) -> UpkeepStatus {
        try await upkeepRunner.begin(request)
    }

    package func upkeep() async throws(ControlError) -> UpkeepStatus? { upkeepRunner.status }
}
