import Causeway
import CausewayStorageConformance
import Foundation
import OwnAdapters
import Testing

/// The store of ``NotebookRows`` keeps the promises of the port. One rule at a time: its commits block a thread.
@Suite(.serialized) struct NotebookTests {
    @Test(arguments: StoreConformance.rules)
    func keeps(_ rule: StoreConformance.Rule) async throws {
        try await Self.withFolder { folder in try await rule.run(Self.factory(in: folder)) }
    }

    @Test func aDamagedFileIsNotOverwritten() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/damaged"
            try Data("{}\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: StoreError.damaged(path: path, detail: "line 1 is no entry")) {
                try NotebookRows(path: path)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("{}\n".utf8))
        }
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/notebook-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private static func factory(in folder: String) -> StoreFactory {
        // A store that writes its whole file with each commit is slow: a few histories.
        StoreFactory(histories: 3) { bounds in
            RowStore(try NotebookRows(path: folder + "/" + UUID().uuidString), bounds: bounds)
        } reopen: { store in
            let store = try #require(store as? RowStore<NotebookRows>)
            await store.close()
            return RowStore(try NotebookRows(path: store.withRows(\.path)))
        }
    }
}
