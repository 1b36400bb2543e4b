/** cpuManagerPolicyOptions: what there is, and what goes with what (upstream cpumanager/policy_options.go). Pure. */
import { parseGoBool } from '../config/go-bool.ts';

export interface CpuPolicyOptions {
	readonly fullCoresOnly: boolean;
	readonly acrossNuma: boolean;
	readonly alignBySocket: boolean;
	readonly acrossCores: boolean;
	/** Containers that share processors stay off the reserved ones, too. */
	readonly strictReservation: boolean;
	readonly alignByCache: boolean;
}

const NAMES = {
	fullCoresOnly: 'full-pcpus-only',
	acrossNuma: 'distribute-cpus-across-numa',
	alignBySocket: 'align-by-socket',
	acrossCores: 'distribute-cpus-across-cores',
	strictReservation: 'strict-cpu-reservation',
	alignByCache: 'prefer-align-cpus-by-uncorecache',
} as const satisfies Readonly<Record<keyof CpuPolicyOptions, string>>;

/** Each needs CPUManagerPolicyAlphaOptions, which is off by default. */
const ALPHA: readonly string[] = [NAMES.alignBySocket, NAMES.acrossCores];

/** Needs CPUManagerPolicyBetaOptions, which is on. */
const BETA: readonly string[] = [NAMES.acrossNuma];

const EXCLUSIVE: readonly (readonly [keyof CpuPolicyOptions, keyof CpuPolicyOptions])[] = [
	['fullCoresOnly', 'acrossCores'],
	['acrossNuma', 'acrossCores'],
	['alignByCache', 'acrossCores'],
	['alignByCache', 'acrossNuma'],
];

type Given = Readonly<Record<string, string>>;

export function cpuPolicyOptionsOf(given: Given): CpuPolicyOptions {
	const on = (option: keyof CpuPolicyOptions): boolean => parseGoBool(given[NAMES[option]] ?? '') === true;
	return {
		fullCoresOnly: on('fullCoresOnly'),
		acrossNuma: on('acrossNuma'),
		alignBySocket: on('alignBySocket'),
		acrossCores: on('acrossCores'),
		strictReservation: on('strictReservation'),
		alignByCache: on('alignByCache'),
	};
}

/** @param enabled CPUManagerPolicyAlphaOptions and CPUManagerPolicyBetaOptions */
export function cpuPolicyOptionFaults(given: Given, enabled: { readonly alpha: boolean; readonly beta: boolean }): readonly string[] {
	const faults: string[] = [];
	const known: readonly string[] = Object.values(NAMES);
	for (const [name, value] of Object.entries(given)) {
		if (!known.includes(name)) faults.push(`unknown CPU Manager Policy option: "${name}"`);
		else if (parseGoBool(value) === undefined)
			faults.push(`bad value for option "${name}": ${JSON.stringify(value)} is neither true nor false`);
		else if (ALPHA.includes(name) && !enabled.alpha)
			faults.push(`CPU Manager Policy Alpha-level Options not enabled, but option "${name}" provided`);
		else if (BETA.includes(name) && !enabled.beta)
			faults.push(`CPU Manager Policy Beta-level Options not enabled, but option "${name}" provided`);
	}
	const options = cpuPolicyOptionsOf(given);
	for (const [one, other] of EXCLUSIVE)
		if (options[one] && options[other])
			faults.push(`static policy options ${NAMES[one]} and ${NAMES[other]} can not be used at the same time`);
	return faults;
}
