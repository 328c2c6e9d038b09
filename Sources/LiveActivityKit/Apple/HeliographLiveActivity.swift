#if canImport(ActivityKit) && canImport(WidgetKit) && !os(macOS) && !targetEnvironment(macCatalyst)
import ActivityKit
import Foundation
public import SwiftUI
import WidgetKit

/// The card, for the `WidgetBundle` of the app's widget extension.
public struct HeliographLiveActivity: Widget {
    public init() {}

    public var body: some WidgetConfiguration { configuration.onWatchAndInCar() }

    private var configuration: some WidgetConfiguration {
        ActivityConfiguration(for: HeliographActivityAttributes.self) { context in
            PlacedCard(face: CardFace(context))
                .widgetURL(CardFace(context).link?.url)
        } dynamicIsland: { context in
            let face = CardFace(context)
            return DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { CardSign(face: face).font(.title2) }
                DynamicIslandExpandedRegion(.trailing) { CardClock(face: face).font(.caption) }
                DynamicIslandExpandedRegion(.center) { CardHeadline(face: face) }
                DynamicIslandExpandedRegion(.bottom) { CardBody(face: face) }
            } compactLeading: {
                CardSign(face: face)
            } compactTrailing: {
                IslandBrief(face: face)
            } minimal: {
                CardSign(face: face)
            }
            .keylineTint(face.color)
            .widgetURL(face.link?.url)
        }
    }
}

extension WidgetConfiguration {
    /// The watch's Smart Stack and CarPlay draw `SmallCard`; without this they squeeze the Dynamic Island's compact views side by side.
    fileprivate func onWatchAndInCar() -> some WidgetConfiguration {
        if #available(iOS 18.0, *) {
            return supplementalActivityFamilies([.small])
        } else {
            return self
        }
    }
}

extension CardFace {
    init(_ context: ActivityViewContext<HeliographActivityAttributes>) {
        self.init(context.attributes, context.state, isOutdated: context.isStale, now: Date())
    }
}
#endif
