/** How the agent's certificates stand, under upstream's names. */
import { Counter, Gauge, Histogram, type Registry } from '../../base/metrics.ts';

const AGE_BUCKETS = [60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000];

export class CertificateMetrics {
	readonly clientErrors: Counter;
	readonly serverErrors: Counter;
	readonly #clientAge: Histogram;
	readonly #serverAge: Histogram;
	readonly #registry: Registry;

	constructor(registry: Registry) {
		this.#registry = registry;
		const registers = [registry];
		const counter = (name: string, help: string): Counter => new Counter({ name: `kubelet_${name}`, help, registers });
		const age = (name: string, help: string): Histogram =>
			new Histogram({ name: `kubelet_${name}`, help, registers, buckets: AGE_BUCKETS });
		this.clientErrors = counter('certificate_manager_client_expiration_renew_errors', '[ALPHA] Counter of certificate renewal errors.');
		this.serverErrors = counter('server_expiration_renew_errors', '[ALPHA] Counter of certificate renewal errors.');
		this.#serverAge = age(
			'certificate_manager_server_rotation_seconds',
			'[ALPHA] Histogram of the number of seconds the previous certificate lived before being rotated.',
		);
		this.#clientAge = age(
			'certificate_manager_client_rotation_seconds',
			'[ALPHA] Histogram of the number of seconds the previous certificate lived before being rotated.',
		);
	}

	clientRenewed(ageSeconds: number): void {
		if (ageSeconds > 0) this.#clientAge.observe(ageSeconds);
	}

	serverRenewed(ageSeconds: number): void {
		if (ageSeconds > 0) this.#serverAge.observe(ageSeconds);
	}

	watchClient(secondsLeft: () => number | undefined): void {
		this.#ttl('client', 'client', secondsLeft);
	}

	watchServer(secondsLeft: () => number | undefined): void {
		this.#ttl('server', 'serving', secondsLeft);
	}

	#ttl(name: string, words: string, secondsLeft: () => number | undefined): void {
		new Gauge({
			name: `kubelet_certificate_manager_${name}_ttl_seconds`,
			help: `[ALPHA] Gauge of the TTL (time-to-live) of the Kubelet's ${words} certificate. The value is in seconds until certificate expiry (negative if already expired). If ${words} certificate is invalid or unused, the value will be +INF.`,
			registers: [this.#registry],
			collect() {
				this.set(secondsLeft() ?? Infinity);
			},
		});
	}
}
