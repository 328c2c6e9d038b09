/** What `worker.js` uses of a service worker's scope: TypeScript's own types for it do not go together with those of a page. */

interface ExtendableEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

interface WorkerScope {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly registration: ServiceWorkerRegistration;
  addEventListener(name: "install" | "activate", run: (event: ExtendableEvent) => void): void;
  addEventListener(name: "fetch", run: (event: FetchEvent) => void): void;
}
