/** Tokens of secrets: noted on the secret on the day of their use, and refused once it is marked as invalid (upstream's legacyValidator). */
import type { Secret, ServiceAccount } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { SECRETS } from '../../../api/resources.ts';
import { INVALID_SINCE, LAST_USED } from '../../../api/token-secret.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { ObjectWriter } from '../contracts.ts';
import type { ServiceAccountMetrics } from '../metrics/service-account-metrics.ts';

const DAY_MS = 86_400_000;

export class LegacyTokens {
	readonly #writer: ObjectWriter | undefined;
	readonly #clock: Clock;
	readonly #metrics: ServiceAccountMetrics | undefined;
	/** Their labels are being written. */
	readonly #writing = new Set<string>();

	/** @param writer absent: uses are not noted */
	constructor(clock: Clock, writer?: ObjectWriter, metrics?: ServiceAccountMetrics) {
		this.#writer = writer;
		this.#clock = clock;
		this.#metrics = metrics;
	}

	/** A token was used, which is noted also where it is refused. AppError Unauthenticated for one that is marked as invalid. */
	use(secret: Secret, account: ServiceAccount): void {
		const { name, namespace, labels = {} } = secret.metadata;
		this.#metrics?.used('legacy');
		const [today, tomorrow] = [dayOf(this.#clock.now()), dayOf(this.#clock.now() + DAY_MS)];
		// Servers whose clocks differ do not write against each other.
		if (labels[LAST_USED] !== today && labels[LAST_USED] !== tomorrow) this.#note(secret, today).catch(() => undefined);
		if ((labels[INVALID_SINCE] ?? '') !== '') {
			this.#metrics?.used('invalid');
			throw new AppError(
				'Unauthenticated',
				`the token in secret ${namespace}/${name} for service account ${namespace}/${account.metadata.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`,
			);
		}
		this.#metrics?.used(isAutomaticSecret(account, name) ? 'automatic' : 'manual');
	}

	/** Beside the request, which does not wait for it; one that fails (the secret was deleted, the disk is full) is tried again with the next use. */
	async #note(secret: Secret, today: string): Promise<void> {
		const key = keyOf(secret);
		if (this.#writer === undefined || this.#writing.has(key)) return;
		this.#writing.add(key);
		const { signal } = new AbortController();
		try {
			await this.#writer.change(
				SECRETS,
				key,
				(current) => (current.metadata.uid === secret.metadata.uid ? noted(current, today) : current),
				{
					...{ dryRun: false, signal, tracked: '' },
				},
			);
		} finally {
			this.#writing.delete(key);
		}
	}
}

/** Whether a controller made the secret: upstream's accounts listed those. */
export function isAutomaticSecret(account: ServiceAccount, secret: string | undefined): boolean {
	return (account.secrets ?? []).some((ref) => ref.name === secret);
}

function noted(secret: Secret, today: string): Secret {
	return { ...secret, metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, [LAST_USED]: today } } };
}

function dayOf(ms: number): string {
	return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
