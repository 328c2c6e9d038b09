// UserNotifications, limited to the part that this repository uses; see SwiftUI.swift. Strict where SDKs differ: neither
// notifications nor handlers are Sendable.

public import Foundation

public class UNNotificationContent: NSObject {
    public var title: String { "" }
    public var subtitle: String { "" }
    public var body: String { "" }
    public var categoryIdentifier: String { "" }
    public var userInfo: [AnyHashable: Any] { [:] }
    override public func mutableCopy() -> Any { self }
}

public final class UNMutableNotificationContent: UNNotificationContent {
    override public var title: String {
        get { "" }
        set {}
    }
    override public var subtitle: String {
        get { "" }
        set {}
    }
    override public var body: String {
        get { "" }
        set {}
    }
    override public var categoryIdentifier: String {
        get { "" }
        set {}
    }
    override public var userInfo: [AnyHashable: Any] {
        get { [:] }
        set {}
    }
}

public class UNNotificationTrigger: NSObject {}

public class UNNotificationRequest: NSObject {
    public convenience init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) { self.init() }
    public var identifier: String { "" }
    public var content: UNNotificationContent { UNNotificationContent() }
}

public class UNNotification: NSObject {
    public var request: UNNotificationRequest { UNNotificationRequest() }
}

public class UNNotificationResponse: NSObject {
    public var notification: UNNotification { UNNotification() }
    public var actionIdentifier: String { "" }
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let authenticationRequired = Self(rawValue: 1)
    public static let destructive = Self(rawValue: 2)
    public static let foreground = Self(rawValue: 4)
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let hiddenPreviewsShowTitle = Self(rawValue: 4)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = Self(rawValue: 1)
    public static let sound = Self(rawValue: 2)
    public static let list = Self(rawValue: 8)
    public static let banner = Self(rawValue: 16)
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = Self(rawValue: 1)
    public static let sound = Self(rawValue: 2)
    public static let alert = Self(rawValue: 4)
    public static let providesAppNotificationSettings = Self(rawValue: 32)
}

public class UNNotificationActionIcon: NSObject {
    public convenience init(systemImageName: String) { self.init() }
}

public class UNNotificationAction: NSObject {
    public convenience init(
        identifier: String, title: String, options: UNNotificationActionOptions = [], icon: UNNotificationActionIcon?
    ) { self.init() }
}

public class UNNotificationCategory: NSObject {
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String], hiddenPreviewsBodyPlaceholder: String,
        options: UNNotificationCategoryOptions = []
    ) { self.init() }
    public var identifier: String { "" }
}

public enum UNShowPreviewsSetting: Int, Sendable { case always, whenAuthenticated, never }
public enum UNAuthorizationStatus: Int, Sendable { case notDetermined, denied, authorized, provisional, ephemeral }

public class UNNotificationSettings: NSObject {
    public var showPreviewsSetting: UNShowPreviewsSetting { .always }
    public var authorizationStatus: UNAuthorizationStatus { .denied }
}

// These methods are optional in the real protocol; here those that the sample needs are required, so that a misspelled one is
// noticed.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    public class func current() -> UNUserNotificationCenter { fatalError("only type-checked") }
    public weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { nil }
        set {}
    }
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { false }
    public func add(_ request: UNNotificationRequest) async throws {}
    public func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {}
    public func getNotificationCategories(completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void) {}
    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
    public func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {}
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
