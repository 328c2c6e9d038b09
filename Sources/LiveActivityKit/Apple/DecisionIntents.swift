#if canImport(AppIntents) && canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
public import AppIntents
import Foundation

/// The button that allows, on a card. It runs in the app's process, after the person unlocked the phone. Not available in Shortcuts or by
/// voice: the input to allow has to be seen.
public struct AllowApproval: LiveActivityIntent {
    public static let title: LocalizedStringResource = "Allow what the agent asks for"
    public static let isDiscoverable = false
    public static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    @Parameter(title: "Approval") public var approval: String

    public init() {}

    public init(approval: String) { self.approval = approval }

    public func perform() async throws -> some IntentResult {
        await DecisionDesk.shared.press(.allow, approval: approval)
        return .result()
    }
}

/// The button that denies. Needs no authentication.
public struct DenyApproval: LiveActivityIntent {
    public static let title: LocalizedStringResource = "Deny what the agent asks for"
    public static let isDiscoverable = false

    @Parameter(title: "Approval") public var approval: String

    public init() {}

    public init(approval: String) { self.approval = approval }

    public func perform() async throws -> some IntentResult {
        await DecisionDesk.shared.press(.deny(), approval: approval)
        return .result()
    }
}

/// Apps name this in their own `AppIntentsPackage.includedPackages`, so that the system finds the intents here.
public struct HeliographIntents: AppIntentsPackage {}
#endif
