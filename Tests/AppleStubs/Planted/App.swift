// Faults that the check of the sample app has to refuse; see Tests/Tools/check-apple-sources.

import Kit
import SwiftUI
import UIKit
import UserNotifications

func planted(_ response: UNNotificationResponse, _ model: AppModel) {
    model.trouble = nil  // error: main actor-isolated property 'trouble' can not be mutated from a nonisolated context
    _ = PairingLink.code  // error: 'code' is inaccessible due to 'package' protection level
    _ = UIDevice.current.serial  // error: value of type 'UIDevice' has no member 'serial'
}
