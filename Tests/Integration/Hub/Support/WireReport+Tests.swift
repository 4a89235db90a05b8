import CausewayWire

extension WireReport {
    var kinds: [WireResult.Kind] { results.map(\.kind) }
    var positions: [Int64?] { results.map(\.position) }
}
