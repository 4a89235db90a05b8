package import CausewayModels
package import CausewayStorage

/// For tests and simulators: what the store holds, read at once; also before its start and after its end.
extension FileStore {
    /// All committed data of the current account: the messages and the operations in the order of their arrival, the
    /// control entries by ascending sequence. Reads the journal, so the store must be open.
    package var contents: (items: [StoredItem], controls: [ChainMarker]) {
        get throws(StoreError) {
            let (entries, channels, controls) = database.peek { index in
                let items = index.current.items
                let slots = (0..<ItemTable.Slot(items.slotCount)).filter { !items[$0].isFree }
                return (slots.map { items[$0] }, index.current.channels, index.current.markers)
            }
            let reader = RecordReader(database.files.all, database.files.names)
            var items: [StoredItem] = []
            for entry in entries.sorted(by: { $0.ordinal < $1.ordinal }) {
                items.append(try reader.row(of: entry, in: channels[Int(entry.channel)]).row.item)
            }
            return (items, controls.sorted { $0.key < $1.key }.map(\.value))
        }
    }

    /// The current account; `nil` before the first session.
    package var account: Account? { database.peek { $0.current.account } }
    package var outboxRecord: OutboxRecord { database.peek { $0.outbox } }
    /// The session that was saved last.
    package var savedSession: Session? { database.peek { $0.common.session } }
    /// The number of the last frame of the journal.
    package var lastFrame: UInt64 { database.lastFrame }
}
