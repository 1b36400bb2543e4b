/** The long form of the kill tests: lives of volumes, while the driver dies after any number of steps, until it has died often enough. */
import type { BackendKind } from '../../../csi/backends/kinds.ts';
import { makePlace } from '../../conformance/csi-sanity/place.ts';
import { Seeded } from '../../tools/seeded.ts';
import { leaksBelow } from './leaks.ts';
import { oneLife } from './lifecycle.ts';
import { MortalDriver, mortalOptions } from './mortal-driver.ts';

export interface CsiCampaign {
	readonly kills: number;
	readonly seed: number;
	readonly log: (line: string) => void;
}

const BACKENDS: readonly [BackendKind, ...BackendKind[]] = ['loop', 'directory'];
/** A life has some fifty steps. */
const MOST_STEPS = 30;

export async function csiCampaign({
	kills,
	seed,
	log,
}: CsiCampaign): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
	const chance = new Seeded(seed);
	const problems: string[] = [];
	let [lives, deaths] = [0, 0];
	while (deaths < kills && problems.length === 0) {
		const backend = chance.pick(BACKENDS);
		await using place = await makePlace(false);
		{
			await using driver = await MortalDriver.start(mortalOptions(place, backend), [], () => chance.between(1, MOST_STEPS));
			problems.push(...(await oneLife(driver, place.dir, 'node')));
			deaths += driver.died.length;
		}
		problems.push(...(await leaksBelow(place)).map((leak) => `left behind on ${backend}: ${leak}`));
		log(`${++lives} lives, ${deaths} deaths`);
	}
	return { text: `${lives} volumes lived through ${deaths} deaths of the driver, ${problems.length} problems`, problems };
}
