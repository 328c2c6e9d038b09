internal import FoundationEssentials

/// The delivery reference's `DeliveryActivityAttributes`.
package enum Delivery: ActivityModel {
    package static let attributesType = "DeliveryActivityAttributes"

    package struct Attributes: Decodable {
        let orderNumber: String
        let restaurantName: String
    }

    package struct ContentState: Decodable {
        let status: Status
        let estimatedDelivery: Date
        let driverName: String?
    }

    enum Status: String, Decodable {
        case preparing, pickedUp, onTheWay, delivered

        var look: (text: String, progress: Double) {
            switch self {
            case .preparing: ("Preparing", 0.25)
            case .pickedUp: ("Picked up", 0.5)
            case .onTheWay: ("On the way", 0.75)
            case .delivered: ("Delivered", 1)
            }
        }
    }

    package static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
        CardFace(
            symbol: "bag.fill", tint: .blue, title: attributes.restaurantName, status: state.status.look.text,
            detail: state.driverName ?? "Order #\(attributes.orderNumber)", progress: state.status.look.progress,
            clock: .until(state.estimatedDelivery.milliseconds))
    }
}
