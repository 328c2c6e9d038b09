// WidgetKit, limited to the part that this repository uses; see SwiftUI.swift.

public import ActivityKit
public import Foundation
public import SwiftUI

public struct ActivityViewContext<Attributes: ActivityAttributes> {
    public var attributes: Attributes { fatalError("only type-checked") }
    public var state: Attributes.ContentState { fatalError("only type-checked") }
    public var isStale: Bool { fatalError("only type-checked") }
    public var activityID: String { fatalError("only type-checked") }
}

@MainActor @preconcurrency public struct ActivityConfiguration<Attributes: ActivityAttributes>: WidgetConfiguration {
    @MainActor @preconcurrency public init<Content: View>(
        for attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> Content,
        dynamicIsland: @escaping (ActivityViewContext<Attributes>) -> DynamicIsland
    ) {}
    @MainActor @preconcurrency public var body: Never { fatalError("only type-checked") }
}

public struct DynamicIslandExpandedRegionPosition: Sendable {
    public static let leading = DynamicIslandExpandedRegionPosition()
    public static let trailing = DynamicIslandExpandedRegionPosition()
    public static let center = DynamicIslandExpandedRegionPosition()
    public static let bottom = DynamicIslandExpandedRegionPosition()
}

public struct DynamicIslandExpandedRegion<Content: View> {
    public init(_ position: DynamicIslandExpandedRegionPosition, priority: Double = 0, @ViewBuilder content: () -> Content) {}
}

public struct DynamicIslandExpandedContent<Content: View> {}

@resultBuilder public struct DynamicIslandExpandedContentBuilder {
    public static func buildBlock<each Content: View>(
        _ content: repeat DynamicIslandExpandedRegion<each Content>
    ) -> DynamicIslandExpandedContent<TupleView<(repeat each Content)>> { fatalError("only type-checked") }
}

public struct DynamicIsland {
    public init<Expanded: View>(
        @DynamicIslandExpandedContentBuilder expanded: @escaping () -> DynamicIslandExpandedContent<Expanded>,
        @ViewBuilder compactLeading: @escaping () -> some View, @ViewBuilder compactTrailing: @escaping () -> some View,
        @ViewBuilder minimal: @escaping () -> some View
    ) {}
    public func keylineTint(_ color: Color?) -> DynamicIsland { self }
    public func widgetURL(_ url: URL?) -> DynamicIsland { self }
}

extension View {
    public nonisolated func widgetURL(_ url: URL?) -> some View { EmptyView() }
    public nonisolated func activitySystemActionForegroundColor(_ color: Color?) -> some View { EmptyView() }
}
