/** The part of a service worker's scope that `worker.js` uses: TypeScript's own types for it conflict with those of a page. */

interface ExtendableEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

interface PushEvent extends ExtendableEvent {
  readonly data: { json(): unknown } | null;
  /** The notification of a declarative push, set in Safari only. */
  readonly notification?: { title: string; body: string; tag: string; navigate: string; data: unknown };
}

interface NotificationEvent extends ExtendableEvent {
  /** Empty if the notification itself was pressed instead of one of its buttons. */
  readonly action: string;
  readonly notification: Notification;
}

interface SubscriptionChange extends ExtendableEvent {
  /** Browsers set both subscriptions, one, or none. */
  readonly newSubscription?: PushSubscription | null;
  readonly oldSubscription?: PushSubscription | null;
}

/** A page that the worker may control. */
interface WorkerClient {
  readonly visibilityState: string;
  postMessage(message: unknown): void;
  focus(): Promise<unknown>;
}

/** Extended by options that TypeScript's own types lack. */
interface WorkerRegistration {
  readonly pushManager: PushManager;
  readonly navigationPreload?: { enable(): Promise<void> };
  showNotification(title: string, options: {
    body: string; tag: string; navigate: string; icon: string; data: unknown;
    silent?: boolean; renotify?: boolean; requireInteraction?: boolean; actions?: { action: string; title: string }[];
  }): Promise<void>;
}

interface WorkerScope {
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<WorkerClient[]>;
    openWindow(address: string): Promise<unknown>;
  };
  readonly registration: WorkerRegistration;
  addEventListener(name: "push", run: (event: PushEvent) => void): void;
  addEventListener(name: "pushsubscriptionchange", run: (event: SubscriptionChange) => void): void;
  addEventListener(name: "notificationclick", run: (event: NotificationEvent) => void): void;
  addEventListener(name: "install" | "activate", run: (event: ExtendableEvent) => void): void;
  addEventListener(name: "fetch", run: (event: FetchEvent) => void): void;
}
