// UIKit, limited to the part that this repository uses; see SwiftUI.swift.

public import Foundation
public import SwiftUI

@MainActor open class UIApplication: NSObject {
    public struct LaunchOptionsKey: Hashable, Sendable {}
    public class var shared: UIApplication { fatalError("only type-checked") }
    public func registerForRemoteNotifications() {}
}

// These methods are optional in the real protocol; here those that the sample needs are required, so that a misspelled one is
// noticed.
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
}

@MainActor open class UIDevice: NSObject {
    public class var current: UIDevice { fatalError("only type-checked") }
    public var name: String { "" }
    public var systemVersion: String { "" }
}

@MainActor @preconcurrency @propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
    public var wrappedValue: DelegateType { fatalError("only type-checked") }
}
