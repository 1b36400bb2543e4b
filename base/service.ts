/** Everything long-lived is a Service: started in dependency order, stopped in reverse. */
import { aborted, linked } from './abort.ts';
import { AppError } from './errors.ts';

export interface Service {
	readonly name: string;
	/** Names of services that must be ready before this one starts; an unknown name is an error. */
	readonly after: readonly string[];
	/** Runs until the signal aborts; calls `ready` once it serves; resolves once fully stopped. A rejection is a failure of the whole. */
	run(signal: AbortSignal, ready: () => void): Promise<void>;
}

export interface ServiceGroupEvents {
	onReady?(name: string): void;
	onStopped?(name: string): void;
}

interface Running {
	readonly service: Service;
	readonly stop: AbortController;
	readonly ready: Promise<void>;
	readonly done: Promise<void>;
}

/**
 * Runs services until the signal aborts or one fails: each starts as soon as all in its `after` are ready (independent ones
 * at once), and on the way out each stops only after all that depend on it have stopped. The first failure stops the rest and is thrown.
 * @param ready called once all services are ready
 */
export async function runServices(
	services: readonly Service[],
	signal: AbortSignal,
	ready: () => void = () => {},
	events: ServiceGroupEvents = {},
): Promise<void> {
	checkOrder(services);
	const failed = new AbortController();
	using link = linked(signal, failed.signal);
	const stopping = link.signal;
	let failure: { readonly error: unknown } | undefined;
	const fail = (error: unknown): void => {
		failure ??= { error };
		failed.abort(error);
	};
	const running = new Map<string, Running>();
	const startOne = (service: Service): Running => {
		const existing = running.get(service.name);
		if (existing !== undefined) return existing;
		const needs = services.filter((s) => service.after.includes(s.name)).map(startOne);
		const stop = new AbortController();
		const isReady = Promise.withResolvers<void>();
		isReady.promise.catch(() => {});
		const run = async (): Promise<void> => {
			try {
				// Whoever stops first must not wait for what is not told to stop before it.
				await Promise.race([Promise.all(needs.map((n) => n.ready)), aborted(stopping)]);
				if (stopping.aborted) return;
				await service.run(stop.signal, () => {
					events.onReady?.(service.name);
					isReady.resolve();
				});
				if (!stopping.aborted) throw new AppError('Internal', `Service "${service.name}" ended by itself`);
			} catch (error) {
				if (!stop.signal.aborted || error !== stop.signal.reason) fail(error);
			} finally {
				isReady.reject(new AppError('Canceled', `Service "${service.name}" stopped before it was ready`));
				events.onStopped?.(service.name);
			}
		};
		const one: Running = { service, stop, ready: isReady.promise, done: run() };
		running.set(service.name, one);
		return one;
	};
	for (const service of services) startOne(service);
	Promise.all([...running.values()].map((r) => r.ready)).then(ready, () => {});
	await aborted(stopping);
	const stopped = new Map<string, Promise<void>>();
	const stopOne = (one: Running): Promise<void> => {
		let p = stopped.get(one.service.name);
		if (p === undefined) {
			const dependents = [...running.values()].filter((r) => r.service.after.includes(one.service.name));
			p = Promise.all(dependents.map(stopOne)).then(async () => {
				one.stop.abort(new AppError('Canceled', `Service "${one.service.name}" is stopping`));
				await one.done;
			});
			stopped.set(one.service.name, p);
		}
		return p;
	};
	await Promise.all([...running.values()].map(stopOne));
	if (failure !== undefined) throw failure.error;
}

/** Services that a start need not wait for: as one that is ready at once, they are made and run when `begin` resolves. They may depend on each other only. */
export function begunLater(
	{ name, after }: Pick<Service, 'name' | 'after'>,
	begin: (signal: AbortSignal) => Promise<void>,
	make: () => readonly Service[],
): Service {
	return {
		name,
		after,
		async run(signal, ready) {
			ready();
			await begin(signal).catch((error: unknown) => {
				if (!signal.aborted) throw error;
			});
			if (!signal.aborted) await runServices(make(), signal);
		},
	};
}

function checkOrder(services: readonly Service[]): void {
	const byName = new Map(services.map((s) => [s.name, s]));
	if (byName.size !== services.length) throw new AppError('InvalidArgument', 'Two services have the same name');
	const state = new Map<string, 'open' | 'done'>();
	const visit = (s: Service, path: readonly string[]): void => {
		if (state.get(s.name) === 'done') return;
		if (state.get(s.name) === 'open')
			throw new AppError('InvalidArgument', `Services depend on each other in a circle: ${[...path, s.name].join(' -> ')}`);
		state.set(s.name, 'open');
		for (const name of s.after) {
			const dep = byName.get(name);
			if (dep === undefined) throw new AppError('InvalidArgument', `Service "${s.name}" starts after "${name}", which does not exist`);
			visit(dep, [...path, s.name]);
		}
		state.set(s.name, 'done');
	};
	for (const s of services) visit(s, []);
}
