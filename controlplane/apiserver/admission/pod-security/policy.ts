/** A namespace's Pod Security labels as a policy: level and version for each mode, and what is wrong with the labels. Pure. */
import { invalidValue, type FieldError } from '../../../../api/field-error.ts';
import type { Level } from './check.ts';

export interface LevelVersion {
	readonly level: Level;
	/** "latest" or "v1.25". */
	readonly version: string;
}

export type Mode = 'enforce' | 'audit' | 'warn';
export const MODES = ['enforce', 'warn', 'audit'] as const;

/** What counts where a namespace says nothing. */
export type Defaults = Readonly<Record<Mode, LevelVersion>>;

export interface Policy extends Defaults {
	readonly errors: readonly FieldError[];
}

const PREFIX = 'pod-security.kubernetes.io/';
const STRICTNESS: Readonly<Record<Level, number>> = { privileged: 0, baseline: 1, restricted: 2 };
const LEVELS = Object.keys(STRICTNESS) as readonly Level[];

const PRIVILEGED = { level: 'privileged', version: 'latest' } as const;
export const NO_DEFAULTS: Defaults = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

/** Unlabelled modes are as the defaults have them, but warnings follow a stricter enforced level. A label that means nothing counts as restricted where it is enforced. */
export function policyOf(labels: Readonly<Record<string, string>> = {}, defaults = NO_DEFAULTS): Policy {
	const errors: FieldError[] = [];
	const wrong = (label: string, value: string, why: string): void =>
		void errors.push(invalidValue(`metadata.labels[${label}]`, value, why));
	const read = (mode: Mode): { readonly level: Level | undefined; readonly version: string | undefined; readonly isBad: boolean } => {
		const [levelLabel, versionLabel] = [PREFIX + mode, `${PREFIX}${mode}-version`];
		const [text, version] = [labels[levelLabel], labels[versionLabel]];
		const [fault, versionFaulty] = [levelFault(text), versionFault(version)];
		if (fault !== undefined) wrong(levelLabel, text ?? '', fault);
		if (versionFaulty !== undefined) wrong(versionLabel, version ?? '', versionFaulty);
		const isBad = fault !== undefined;
		const level = isBad ? (mode === 'enforce' ? 'restricted' : 'privileged') : (text as Level | undefined);
		return { level, version: versionFaulty === undefined ? version : 'latest', isBad };
	};
	const [enforced, audited, warned] = [read('enforce'), read('audit'), read('warn')];
	const enforce = { level: enforced.level ?? defaults.enforce.level, version: enforced.version ?? defaults.enforce.version };
	const audit = { level: audited.level ?? defaults.audit.level, version: audited.version ?? defaults.audit.version };
	const warn = { level: warned.level ?? defaults.warn.level, version: warned.version ?? defaults.warn.version };
	const follows = warned.level === undefined && enforced.level !== undefined && !enforced.isBad && isStricter(enforce.level, warn.level);
	return { enforce, audit, warn: follows ? { level: enforce.level, version: warned.version ?? enforce.version } : warn, errors };
}

export function levelFault(level: string | undefined): string | undefined {
	return level === undefined || (LEVELS as readonly string[]).includes(level) ? undefined : `must be one of ${LEVELS.join(', ')}`;
}

export function versionFault(version: string | undefined): string | undefined {
	const isGood = version === undefined || version === 'latest' || /^v1\.(0|[1-9]\d*)$/.test(version);
	return isGood ? undefined : 'must be "latest" or "v1.x"';
}

export function isStricter(a: Level, b: Level): boolean {
	return STRICTNESS[a] > STRICTNESS[b];
}

export function sameLevel(a: LevelVersion, b: LevelVersion): boolean {
	return a.level === b.level && a.version === b.version;
}

/** "baseline:v1.25" */
export function levelText({ level, version }: LevelVersion): string {
	return `${level}:${version}`;
}
