internal import FoundationEssentials

/// The SwiftClimb guide's `YourFeatureAttributes`: a count, dates and a deep link.
package enum SwiftClimb: ActivityModel {
    package static let attributesType = "YourFeatureAttributes"

    /// `deepLinkScheme` is a `let` with a value: never decoded, harmless if it is sent.
    package struct Attributes: Decodable {
        let featureId: UUID
        let startedAt: Date
    }

    package struct ContentState: Decodable {
        let count: Int
        let lastUpdated: Date
    }

    package static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
        CardFace(
            symbol: "star.fill", tint: .green, title: "Feature", status: "Count: \(state.count)",
            clock: .since(attributes.startedAt.milliseconds), badge: state.count,
            deepLink: "swiftclimb://feature/\(attributes.featureId.uuidString)/action")
    }
}
