// Faults that the check of the sample app has to refuse, and finds only if nothing else is wrong; see Tests/Tools/check-apple-sources.

import Kit
import UserNotifications

func planted(_ response: UNNotificationResponse) {
    Task { @MainActor in _ = response.actionIdentifier }  // error: sending 'response' risks causing data races
}
