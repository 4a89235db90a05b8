// The controls and modifiers that the screens of this package use.

public struct Text: PrimitiveView {
    public init(_ text: some StringProtocol) {}
}

public struct ProgressView: PrimitiveView {
    public init() {}
}

public struct Button: PrimitiveView {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct TextField: PrimitiveView {
    public init(_ title: some StringProtocol, text: Binding<String>) {}
}

public struct NavigationLink: PrimitiveView {
    public init(_ title: some StringProtocol, @ViewBuilder destination: () -> some View) {}
}

public struct VStack: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct HStack: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct List: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct ForEach: PrimitiveView {
    public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> some View)
    where Data.Element: Identifiable {}
    public init<Data: RandomAccessCollection>(
        _ data: Data, id: KeyPath<Data.Element, some Hashable>,
        @ViewBuilder content: @escaping (Data.Element) -> some View
    ) {}
}

extension View {
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func task(_ action: @escaping @Sendable @MainActor () async -> Void) -> some View { self }
    public func refreshable(action: @escaping @Sendable @MainActor () async -> Void) -> some View { self }
}
