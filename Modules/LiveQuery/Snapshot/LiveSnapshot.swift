/// The records of a live collection at one version. It never changes.
///
/// Taking and copying a snapshot costs nothing, however long it is: it shares its rows with the window that it was
/// taken from and with the snapshots before and after it. Reading the record at an index costs O(log n); iterating over
/// all of them in order costs O(n).
public struct LiveSnapshot<Record: Sendable>: RandomAccessCollection, Sendable {
    public typealias Index = Int

    private let rows: any LiveRows<Record>

    init(_ rows: any LiveRows<Record>) { self.rows = rows }

    /// Creates an empty snapshot.
    public init() { rows = NoRows<Record>() }

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }

    /// - Precondition: `index` is at least 0 and below `count`.
    public subscript(index: Int) -> Record { rows.record(at: index) }

    public func makeIterator() -> Iterator { Iterator(rows: rows) }

    /// Reads a number of rows at a time, so that stopping early costs no more than that.
    public struct Iterator: IteratorProtocol {
        fileprivate let rows: any LiveRows<Record>
        private var read = [Record]().makeIterator()
        private var readCount = 0

        private static var recordsAtOnce: Int { 32 }

        fileprivate init(rows: any LiveRows<Record>) { self.rows = rows }

        public mutating func next() -> Record? {
            if let record = read.next() { return record }
            let end = Swift.min(rows.count, readCount + Self.recordsAtOnce)
            read = rows.records(in: readCount..<end).makeIterator()
            readCount = end
            return read.next()
        }
    }
}

extension LiveSnapshot: Equatable where Record: Equatable {
    public static func == (left: LiveSnapshot, right: LiveSnapshot) -> Bool { left.elementsEqual(right) }
}

/// Rows without their keys.
protocol LiveRows<Record>: Sendable {
    associatedtype Record: Sendable
    var count: Int { get }
    func record(at index: Int) -> Record
    /// The records at these indices, in order.
    func records(in range: Range<Int>) -> [Record]
}

extension OrderStatisticTree: LiveRows {
    func record(at index: Int) -> Record { self[index].record }
    func records(in range: Range<Int>) -> [Record] { rows(in: range).map(\.record) }
}

private struct NoRows<Record: Sendable>: LiveRows {
    var count: Int { 0 }
    func record(at index: Int) -> Record { preconditionFailure("index \(index) of an empty snapshot") }
    func records(in range: Range<Int>) -> [Record] { [] }
}
