// SwiftUI, limited to the part that this repository uses: declarations of our own, with the attributes that Apple documents. Only
// type-checked; see Tests/Tools/check-apple-sources.

public import Foundation
@_exported public import Observation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { stub() }
}

func stub() -> Never { fatalError("only type-checked") }

@resultBuilder public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { stub() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { stub() }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
        stub()
    }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { stub() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { stub() }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> { stub() }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> { stub() }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { stub() }
}

/// A view that draws itself.
public protocol Primitive: View where Body == Never {}

extension Primitive {
    public var body: Never { stub() }
}

public struct EmptyView: Sendable { public nonisolated init() {} }
public struct TupleView<Content> {}
public struct ConditionalContent<First, Second> {}
public struct AnyView { public nonisolated init(_ view: some View) {} }
public struct Spacer: Sendable { public nonisolated init(minLength: CGFloat? = nil) {} }
extension EmptyView: Primitive {}
extension TupleView: Primitive {}
extension ConditionalContent: Primitive {}
extension AnyView: Primitive {}
extension Spacer: Primitive {}
extension Optional: Primitive, View where Wrapped: View {}

// MARK: Text

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}

    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ string: String) {}
        public mutating func appendInterpolation(_ number: Int) {}
        public mutating func appendInterpolation(_ text: Text) {}
    }
}

public struct Text: Equatable, Sendable {
    public struct DateStyle: Sendable {
        public static let relative = DateStyle()
        public static let timer = DateStyle()
    }

    public init(verbatim content: String) {}
    @_disfavoredOverload public init(_ content: some StringProtocol) {}
    public init(_ key: LocalizedStringKey) {}
    public init(_ date: Date, style: DateStyle) {}
    public init(timerInterval: ClosedRange<Date>, pauseTime: Date? = nil, countsDown: Bool = true, showsHours: Bool = true) {}
}

extension Text: Primitive {}

public struct Font: Hashable, Sendable {
    public enum Design: Hashable, Sendable { case monospaced }
    public enum TextStyle: Sendable { case body, footnote, headline }
    public struct Weight: Hashable, Sendable {
        public static let semibold = Weight()
    }
    public static let title2 = Font()
    public static let title3 = Font()
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let footnote = Font()
    public static let caption = Font()
    public static let caption2 = Font()
    public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font { stub() }
    public func weight(_ weight: Weight) -> Font { stub() }
}

public enum TextAlignment: Hashable, Sendable { case leading, center, trailing }
public struct TextInputAutocapitalization: Sendable {
    public static var never: TextInputAutocapitalization { stub() }
}

// MARK: Styles

public protocol ShapeStyle: Sendable {}

public struct Color: Hashable, Sendable, ShapeStyle {
    public static let blue = Color()
    public static let orange = Color()
    public static let purple = Color()
    public static let green = Color()
    public static let red = Color()
    public static let secondary = Color()
}

extension ShapeStyle where Self == Color {
    public static var orange: Color { stub() }
    public static var red: Color { stub() }
}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { stub() }
}

public struct ContentTransition: Equatable, Sendable {
    public static let identity = ContentTransition()
    public static let opacity = ContentTransition()
}

public enum DynamicTypeSize: Hashable, Sendable {
    case large, accessibility1
    public var isAccessibilitySize: Bool { stub() }
}

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}
@MainActor @preconcurrency public struct BorderedButtonStyle: PrimitiveButtonStyle {}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { stub() }
}

@MainActor @preconcurrency public protocol ProgressViewStyle {}
@MainActor @preconcurrency public struct CircularProgressViewStyle: ProgressViewStyle {}

extension ProgressViewStyle where Self == CircularProgressViewStyle {
    public static var circular: CircularProgressViewStyle { stub() }
}

// MARK: Layout

public struct Axis: Sendable {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)
    }
}

public struct Alignment: Equatable, Sendable {
    public static let leading = Alignment()
    public static let trailing = Alignment()
    public static let center = Alignment()
}
public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
    public static let trailing = HorizontalAlignment()
}
public struct VerticalAlignment: Equatable, Sendable {
    public static let center = VerticalAlignment()
    public static let firstTextBaseline = VerticalAlignment()
}

public struct VStack<Content: View> {
    public nonisolated init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}
public struct HStack<Content: View> {
    public nonisolated init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}
public struct Group<Content> {}
extension Group where Content: View {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}
public struct ViewThatFits<Content: View> {
    public nonisolated init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach where Content: View {
    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}
extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID, Content: View {
    public nonisolated init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension VStack: Primitive, View {}
extension HStack: Primitive, View {}
extension Group: Primitive, View where Content: View {}
extension ViewThatFits: Primitive, View {}
extension ForEach: Primitive, View where Content: View {}

// MARK: Controls

public struct Image: Equatable, Sendable { public init(systemName: String) {} }
extension Image: Primitive {}

public struct Label<Title: View, Icon: View> {}
extension Label where Title == Text, Icon == Image {
    public nonisolated init(_ title: LocalizedStringKey, systemImage: String) {}
    @_disfavoredOverload public nonisolated init(_ title: some StringProtocol, systemImage: String) {}
}
extension Label: Primitive, View {}

public struct Button<Label: View> {
    @preconcurrency public nonisolated init(
        role: ButtonRole? = nil, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) {}
}
extension Button where Label == Text {
    @preconcurrency public nonisolated init(
        _ title: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
    ) {}
    @_disfavoredOverload @preconcurrency public nonisolated init(
        _ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
    ) {}
}
extension Button: Primitive, View {}

public struct Link<Label: View> {
    public nonisolated init(destination: URL, @ViewBuilder label: () -> Label) {}
}
extension Link: Primitive, View {}

public struct ProgressView: Sendable {
    public nonisolated init(value: (some BinaryFloatingPoint)?) {}
}
extension ProgressView: Primitive {}

public struct TextField<Label: View> {}
extension TextField where Label == Text {
    public nonisolated init(_ title: LocalizedStringKey, text: Binding<String>) {}
    public nonisolated init(_ title: LocalizedStringKey, text: Binding<String>, axis: Axis.Set) {}
}
extension TextField: Primitive, View {}

public struct Toggle<Label: View> {}
extension Toggle where Label == Text {
    public nonisolated init(_ title: LocalizedStringKey, isOn: Binding<Bool>) {}
    @_disfavoredOverload public nonisolated init(_ title: some StringProtocol, isOn: Binding<Bool>) {}
}
extension Toggle: Primitive, View {}

public struct Picker<Label: View, Selection: Hashable, Content: View> {}
extension Picker where Label == Text {
    public nonisolated init(_ title: LocalizedStringKey, selection: Binding<Selection>, @ViewBuilder content: () -> Content) {}
}
extension Picker: Primitive, View {}

public enum DatePickerComponents: Sendable { case hourAndMinute }
public struct DatePicker<Label: View> {}
extension DatePicker where Label == Text {
    public nonisolated init(_ title: LocalizedStringKey, selection: Binding<Date>, displayedComponents: DatePickerComponents) {}
}
extension DatePicker: Primitive, View {}

public struct Form<Content: View> { public nonisolated init(@ViewBuilder content: () -> Content) {} }
public struct List<Content: View> { public nonisolated init(@ViewBuilder content: () -> Content) {} }
public struct Section<Parent: View, Content: View, Footer: View> {}
extension Section where Parent == Text, Footer == EmptyView {
    public nonisolated init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
}
extension Section where Parent == Text, Footer == Text {
    public nonisolated init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
    ) {}
}
public struct NavigationStack<Content: View> {
    public nonisolated init<Data: MutableCollection & RangeReplaceableCollection & RandomAccessCollection>(
        path: Binding<Data>, @ViewBuilder root: () -> Content
    ) where Data.Element: Hashable {}
}
public struct NavigationLink<Label: View> {
    public nonisolated init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Label) {}
}
extension NavigationLink where Label == Text {
    public nonisolated init<Destination: View>(_ title: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {}
}
extension Form: Primitive, View {}
extension List: Primitive, View {}
extension Section: Primitive, View {}
extension NavigationStack: Primitive, View {}
extension NavigationLink: Primitive, View {}

// MARK: State

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { stub() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { stub() }
}
extension State: Sendable where Value: Sendable {}

@preconcurrency @propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    @preconcurrency public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { stub() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { stub() }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { stub() }
}
extension Binding: @unchecked Sendable where Value: Sendable {}

@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { stub() }
    public init(wrappedValue: Value) where Value: AnyObject & Observable { stub() }
}
extension Bindable where Value: AnyObject {
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> { stub() }
}
extension Bindable: Sendable where Value: Sendable {}

@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { stub() }
}
extension Environment: Sendable where Value: Sendable {}

public struct EnvironmentValues {
    public var dynamicTypeSize: DynamicTypeSize { stub() }
    public var accessibilityReduceMotion: Bool { stub() }
    public var scenePhase: ScenePhase { stub() }
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

// MARK: Modifiers

extension View {
    public nonisolated func font(_ font: Font?) -> some View { EmptyView() }
    public nonisolated func lineLimit(_ number: Int?) -> some View { EmptyView() }
    public nonisolated func monospacedDigit() -> some View { EmptyView() }
    public nonisolated func minimumScaleFactor(_ factor: CGFloat) -> some View { EmptyView() }
    public nonisolated func multilineTextAlignment(_ alignment: TextAlignment) -> some View { EmptyView() }
    public nonisolated func padding(_ length: CGFloat) -> some View { EmptyView() }
    public nonisolated func frame(
        minWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil, maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View { EmptyView() }
    public nonisolated func fixedSize(horizontal: Bool, vertical: Bool) -> some View { EmptyView() }
    public nonisolated func foregroundStyle(_ style: some ShapeStyle) -> some View { EmptyView() }
    public nonisolated func tint(_ color: Color?) -> some View { EmptyView() }
    public nonisolated func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { EmptyView() }
    public nonisolated func progressViewStyle(_ style: some ProgressViewStyle) -> some View { EmptyView() }
    public nonisolated func contentTransition(_ transition: ContentTransition) -> some View { EmptyView() }
    public nonisolated func disabled(_ disabled: Bool) -> some View { EmptyView() }
    public nonisolated func accessibilityHidden(_ hidden: Bool) -> some View { EmptyView() }
    public nonisolated func accessibilityLabel(_ key: LocalizedStringKey) -> some View { EmptyView() }
    @_disfavoredOverload public nonisolated func accessibilityLabel(_ label: some StringProtocol) -> some View { EmptyView() }
    public nonisolated func navigationTitle(_ key: LocalizedStringKey) -> some View { EmptyView() }
    @_disfavoredOverload public nonisolated func navigationTitle(_ title: some StringProtocol) -> some View { EmptyView() }
    public nonisolated func navigationDestination<Data: Hashable>(
        for data: Data.Type, @ViewBuilder destination: @escaping (Data) -> some View
    ) -> some View { EmptyView() }
    public nonisolated func navigationDestination(
        isPresented: Binding<Bool>, @ViewBuilder destination: () -> some View
    ) -> some View { EmptyView() }
    public nonisolated func toolbar(@ViewBuilder content: () -> some View) -> some View { EmptyView() }
    public nonisolated func tag(_ tag: some Hashable) -> some View { EmptyView() }
    public nonisolated func textInputAutocapitalization(_ style: TextInputAutocapitalization?) -> some View { EmptyView() }
    public nonisolated func autocorrectionDisabled(_ disable: Bool = true) -> some View { EmptyView() }
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { EmptyView() }
    public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
    public nonisolated func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (Value, Value) -> Void
    ) -> some View { EmptyView() }
    public nonisolated func task<ID: Equatable>(
        id: ID, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    public nonisolated func alert(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { EmptyView() }
}

// MARK: The app

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() { stub() }
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { stub() }
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { stub() }
}

public struct WindowGroup<Content: View> {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}
extension WindowGroup: Scene {
    public var body: Never { stub() }
}

extension Scene {
    public nonisolated func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (Value, Value) -> Void
    ) -> some Scene { WindowGroup { EmptyView() } }
}

// MARK: Widgets

@MainActor @preconcurrency public protocol Widget {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

@MainActor @preconcurrency public protocol WidgetBundle {
    associatedtype Body: Widget
    @WidgetBundleBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension WidgetBundle {
    @MainActor @preconcurrency public static func main() { stub() }
}

@resultBuilder public struct WidgetBundleBuilder {
    public static func buildBlock<Content: Widget>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency public protocol WidgetConfiguration {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
}

extension Never: WidgetConfiguration {}
