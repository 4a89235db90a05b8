/// A value on the heap that its copies share until one of them is changed: a copy costs one reference count.
///
/// An array of one element has exactly this behavior, and is `Sendable` wherever its element is.
package struct CopyOnWrite<Value> {
    private var elements: [Value]

    package init(_ value: Value) { elements = [value] }

    package var value: Value {
        _read { yield elements[0] }
        _modify { yield &elements[0] }
    }
}

extension CopyOnWrite: Sendable where Value: Sendable {}
extension CopyOnWrite: Equatable where Value: Equatable {}
extension CopyOnWrite: Hashable where Value: Hashable {}
