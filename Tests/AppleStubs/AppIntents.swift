// AppIntents, limited to the part that this repository uses; see SwiftUI.swift.

public import Foundation
public import SwiftUI

public struct LocalizedStringResource: Equatable, Sendable, ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {}
}

public enum IntentAuthenticationPolicy: Sendable {
    case alwaysAllowed, requiresAuthentication, requiresLocalDeviceAuthentication
}

public protocol PersistentlyIdentifiable {}
public protocol IntentResult: Sendable {}
public struct EmptyIntentResult: IntentResult {}
extension IntentResult where Self == EmptyIntentResult {
    public static func result() -> EmptyIntentResult { EmptyIntentResult() }
}

public protocol AppIntent: PersistentlyIdentifiable, Sendable {
    associatedtype PerformResult: IntentResult
    static var title: LocalizedStringResource { get }
    static var isDiscoverable: Bool { get }
    static var authenticationPolicy: IntentAuthenticationPolicy { get }
    init()
    func perform() async throws -> PerformResult
}

extension AppIntent {
    public static var isDiscoverable: Bool { true }
    public static var authenticationPolicy: IntentAuthenticationPolicy { .alwaysAllowed }
    public typealias Parameter<Value: Sendable> = IntentParameter<Value>
}

public protocol LiveActivityIntent: AppIntent {}

@propertyWrapper public final class IntentParameter<Value: Sendable>: @unchecked Sendable {
    public init(title: LocalizedStringResource) {}
    public var wrappedValue: Value {
        get { fatalError("only type-checked") }
        set {}
    }
}

public protocol AppIntentsPackage {
    static var includedPackages: [any AppIntentsPackage.Type] { get }
}
extension AppIntentsPackage {
    public static var includedPackages: [any AppIntentsPackage.Type] { [] }
}

extension Button {
    public nonisolated init(intent: some AppIntent, @ViewBuilder label: () -> Label) { fatalError("only type-checked") }
}
