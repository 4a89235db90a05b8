import CausewayModels
import CausewayStorage
import Testing

@Suite struct ReceivedIndexTests {
    @Test func theFileThatWasUsedLongestAgoGoesFirst() {
        var index = ReceivedIndex()
        for name in ["a", "b", "c"] { index.insert(name, size: 10) }
        let isKnown = index.use("a")
        #expect(isKnown)
        let removed = index.begin("d", size: 15, bytesMax: 30)
        #expect(removed == ["b", "c"])
        #expect(index.bytes == 25)
    }

    @Test func aFileUnderWayStays() {
        var index = ReceivedIndex()
        let first = index.begin("a", size: 10, bytesMax: 20)
        index.insert("b", size: 10)
        let second = index.begin("c", size: 10, bytesMax: 20)
        let third = index.begin("d", size: 10, bytesMax: 20)
        #expect(first == [] && second == ["b"] && third == nil)
        index.end("a", size: 10)
        let fourth = index.begin("d", size: 10, bytesMax: 20)
        #expect(fourth == ["a"])
    }

    /// Earlier uses of a file are left out when there are many; the last use of each file stays.
    @Test func manyUsesOfAFileKeepTheOrderOfTheOthers() {
        var index = ReceivedIndex()
        for name in ["a", "b", "c"] { index.insert(name, size: 10) }
        for _ in 0..<1_000 {
            let isKnown = index.use("c")
            #expect(isKnown)
        }
        let first = index.begin("d", size: 10, bytesMax: 30)
        let second = index.begin("e", size: 10, bytesMax: 30)
        let third = index.begin("f", size: 10, bytesMax: 30)
        #expect(first == ["a"] && second == ["b"] && third == ["c"])
    }

    /// Random calls against the plainest model: a list in the order of the last use.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func agreesWithAListInTheOrderOfUse(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var index = ReceivedIndex()
        var model = Model()
        for _ in 0..<2_000 {
            let name = "\(Int.random(in: 0..<12, using: &random))"
            let size = Int64.random(in: 0...9, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                guard !model.isUnderWay(name) else { continue }
                let removed = index.begin(name, size: size, bytesMax: 30)
                let expected = model.begin(name, size, 30)
                #expect(removed == expected)
            case 3..<5:
                guard model.isUnderWay(name) else { continue }
                index.end(name, size: size)
                model.insert(name, size)
            case 5..<8:
                let isKnown = index.use(name)
                let expected = model.use(name)
                #expect(isKnown == expected)
            case 8:
                index.remove(name)
                model.files.removeAll { $0.name == name }
            default:
                guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
                let (removed, underWay) = index.removeAll()
                let expected = model.removeAll()
                #expect(Set(removed) == expected.removed && Set(underWay) == expected.underWay)
            }
            #expect(index.bytes == model.bytes)
        }
    }
}

private struct Model {
    struct File {
        var name: String
        var size: Int64
        var isUnderWay = false
    }

    var files: [File] = []

    var bytes: Int64 { files.reduce(0) { $0 + $1.size } }

    func isUnderWay(_ name: String) -> Bool { files.contains { $0.name == name && $0.isUnderWay } }

    mutating func insert(_ name: String, _ size: Int64, isUnderWay: Bool = false) {
        files.removeAll { $0.name == name }
        files.append(File(name: name, size: size, isUnderWay: isUnderWay))
    }

    mutating func use(_ name: String) -> Bool {
        guard let index = files.firstIndex(where: { $0.name == name }) else { return false }
        files.append(files.remove(at: index))
        return true
    }

    mutating func begin(_ name: String, _ size: Int64, _ bytesMax: Int64) -> [String]? {
        var others = files.filter { $0.name != name }
        guard others.filter(\.isUnderWay).reduce(size, { $0 + $1.size }) <= bytesMax else { return nil }
        var removed: [String] = []
        while others.reduce(size, { $0 + $1.size }) > bytesMax,
            let index = others.firstIndex(where: { !$0.isUnderWay })
        {
            removed.append(others.remove(at: index).name)
        }
        files = others
        insert(name, size, isUnderWay: true)
        return removed
    }

    mutating func removeAll() -> (removed: Set<String>, underWay: Set<String>) {
        let removed = Set(files.filter { !$0.isUnderWay }.map(\.name))
        files.removeAll { !$0.isUnderWay }
        return (removed, Set(files.map(\.name)))
    }
}
