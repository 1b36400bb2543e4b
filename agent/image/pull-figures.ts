/** Records of pulls in numbers, under upstream's names. Records are not kept in memory here: of that there is nothing to tell. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Counter, Gauge, type Registry } from '../../base/metrics.ts';

/** Why an image that lies here may be used, or may not before its registry has been asked. */
export type PullCheck = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate' | 'error';

export class PullFigures {
	readonly #checks: Counter;

	/** @param folder where the records are */
	constructor(registry: Registry, folder: string) {
		const registers = [registry];
		this.#checks = new Counter({
			name: 'kubelet_imagemanager_image_mustpull_checks_total',
			help: '[ALPHA] Counter for how many times kubelet checked whether credentials need to be re-verified to access an image',
			labelNames: ['result'],
			registers,
		});
		const stored = (name: string, kind: string, what: string): Gauge =>
			new Gauge({
				...{ name: `kubelet_imagemanager_ondisk_${name}`, help: `[ALPHA] Number of ${what} stored on disk.`, registers },
				collect() {
					this.set(filesIn(join(folder, kind)));
				},
			});
		stored('pullintents', 'pulling', 'ImagePullIntents');
		stored('pulledrecords', 'pulled', 'ImagePulledRecords');
	}

	/** The check, counted; one that fails, too. */
	async checked(work: Promise<PullCheck>): Promise<PullCheck> {
		let result: PullCheck = 'error';
		try {
			return (result = await work);
		} finally {
			this.#checks.inc({ result });
		}
	}
}

/** Their names are of hashes; what is just being written has another. */
function filesIn(folder: string): number {
	try {
		return readdirSync(folder).filter((name) => name.startsWith('sha256-')).length;
	} catch {
		return 0;
	}
}
