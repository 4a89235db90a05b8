import CausewayLiveQuery
import CausewayModels
import Testing

struct OrderStatisticTreeTests {
    @Test(arguments: [false, true])
    func isASortedListWithIndices(isDescending: Bool) {
        for seed in UInt64(0)..<12 {
            var random = SplitMix64(seed: seed)
            var rows = OrderStatisticTree<Int, Int>(isDescending: isDescending)
            var model: [Int: Int] = [:]
            var old: (rows: OrderStatisticTree<Int, Int>, records: [Int])?
            for step in 0..<200 {
                let key = Int(random.next() % 64)
                if random.next() % 3 == 0 {
                    rows.remove(key)
                    model[key] = nil
                } else {
                    rows.insert(key, step)
                    model[key] = step
                }
                if step == 100 { old = (rows, rows.rows.map(\.record)) }
                #expect(rows.brokenInvariant == nil)
                let keys = model.keys.sorted { isDescending ? $1 < $0 : $0 < $1 }
                #expect(rows.rows.map(\.key) == keys)
                #expect(rows.rank(of: key) == keys.count { isDescending ? $0 > key : $0 < key })
                #expect(rows.row(at: key)?.record == model[key])
                if let index = keys.indices.last { #expect(rows[index].key == keys[index]) }
            }
            // A copy taken before is unchanged.
            #expect(old?.rows.rows.map(\.record) == old?.records)
        }
    }

    @Test func isBuiltFromARow() {
        for count in [0, 1, 2, 3, 100] {
            let ordered = (0..<count).map { OrderStatisticTree<Int, Int>.Row($0, $0) }
            let rows = OrderStatisticTree<Int, Int>(isDescending: false, inOrder: ordered)
            #expect(rows.brokenInvariant == nil)
            #expect(rows.rows.map(\.key) == Array(0..<count))
            for start in 0...count {
                for end in [start, (start + count) / 2, count] where end >= start {
                    #expect(rows.rows(in: start..<end).map(\.key) == Array(start..<end))
                }
            }
        }
    }
}
