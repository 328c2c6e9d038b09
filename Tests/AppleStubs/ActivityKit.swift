// ActivityKit, limited to the part that this repository uses; see SwiftUI.swift. Stricter than the SDK: an `Activity` is not
// Sendable.

public import Foundation

public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

public enum ActivityState: Codable, Hashable, Sendable {
    case active, ended, dismissed, stale, pending
}

public struct PushType: Equatable, Sendable {
    public static let token = PushType()
}

public struct ActivityContent<State: Decodable & Encodable & Hashable> {
    public var state: State
    public var staleDate: Date?
    public var relevanceScore: Double
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) { fatalError("only type-checked") }
}
extension ActivityContent: Sendable where State: Sendable {}

public struct ActivityUIDismissalPolicy: Sendable {
    public static let `default` = ActivityUIDismissalPolicy()
    public static let immediate = ActivityUIDismissalPolicy()
    public static func after(_ date: Date) -> ActivityUIDismissalPolicy { fatalError("only type-checked") }
}

public enum ActivityAuthorizationError: Error, LocalizedError {
    case attributesTooLarge, denied, globalMaximumExceeded, malformedActivityIdentifier, missingProcessIdentifier
    case persistenceFailure, reconnectNotPermitted, targetMaximumExceeded, unentitled, unsupported, unsupportedTarget,
        visibility
}

public final class ActivityAuthorizationInfo {
    public init() {}
    public var areActivitiesEnabled: Bool { false }
    public var frequentPushesEnabled: Bool { false }
    public var frequentPushEnablementUpdates: Updates<Bool> { Updates() }
}

public class Activity<Attributes: ActivityAttributes>: Identifiable {
    public final let id: String
    public final let attributes: Attributes
    init() { fatalError("only type-checked") }

    public static func request(
        attributes: Attributes, content: ActivityContent<Attributes.ContentState>, pushType: PushType? = nil
    ) throws -> Activity<Attributes> { fatalError("only type-checked") }
    public static var activities: [Activity<Attributes>] { [] }
    public static var activityUpdates: Updates<Activity<Attributes>> { Updates() }
    public static var pushToStartToken: Data? { nil }
    public static var pushToStartTokenUpdates: Updates<Data> { Updates() }

    public var activityState: ActivityState { .active }
    public var activityStateUpdates: Updates<ActivityState> { Updates() }
    public var content: ActivityContent<Attributes.ContentState> { fatalError("only type-checked") }
    public var contentUpdates: Updates<ActivityContent<Attributes.ContentState>> { Updates() }
    public var pushToken: Data? { nil }
    public var pushTokenUpdates: Updates<Data> { Updates() }

    public func update(_ content: ActivityContent<Attributes.ContentState>) async {}
    public func end(
        _ content: ActivityContent<Attributes.ContentState>?, dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {}
}

/// Sequence type of ActivityKit's updates. (In the SDK each sequence has its own type; all have this shape.)
public struct Updates<Element>: AsyncSequence {
    public struct Iterator: AsyncIteratorProtocol {
        public func next() async -> Element? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
}
