public import Causeway
import CausewayLiveQuery
import CausewayRuntime
import CausewayStorage

/// The state in which a constant object or collection remains.
public enum ConstantState: Sendable {
    /// The data are the server's: `fresh`, `loaded`.
    case loaded
    /// The data are stored ones, and the server has not responded: `local`, `loading`.
    case loading
    /// The data are stored ones, and the server could not be asked: `local`, `error`.
    case failed(any Error)
}

extension LiveCollection {
    /// A collection of constant records, for previews and for tests of the code that shows them. Needs no client.
    ///
    /// It behaves as any other one: it reports its contents once to each observer, has pages, and shows the records as
    /// soon as ``ready()`` returns.
    ///
    /// ```swift
    /// let messages = await LiveCollection.constant([.sample("hi"), .sample("hello")]).ready()
    /// let failed = LiveCollection<Message>.constant([], .failed(ClientError.noSession))
    /// ```
    ///
    /// - Parameters:
    ///   - records: in their order; of records with equal ids the first one counts.
    ///   - pageSize: the number of records that are shown at first, if there are more.
    public static func constant(
        _ records: [Record], _ state: ConstantState = .loaded, pageSize: Int = LiveLimits.pageSizeMax
    ) -> LiveCollection {
        LiveQueryEngine.ofConstants().collection(
            ConstantQuery(records, pageSize: pageSize), remote: state.source)
    }
}

extension LiveObject {
    /// An object with a constant record, for previews and for tests of the code that shows it; `nil` for a record that
    /// does not exist. Otherwise like ``LiveCollection/constant(_:_:pageSize:)``.
    public static func constant(_ record: Record?, _ state: ConstantState = .loaded) -> LiveObject {
        LiveQueryEngine.ofConstants().object(
            ConstantQuery([record].compactMap(\.self), pageSize: 1), remote: state.source)
    }
}

extension ConstantState {
    /// `nil` for a query that no server serves: what is stored is all there is.
    fileprivate var source: ConstantSource? {
        if case .loaded = self { nil } else { ConstantSource(state: self) }
    }
}

extension LiveQueryEngine {
    fileprivate static func ofConstants() -> LiveQueryEngine {
        LiveQueryEngine(store: MemoryStore(), runtime: SystemRuntime())
    }
}
