/** A namespace's Pod Security labels as a policy: level and version for each mode, and what is wrong with the labels. Pure. */
import { invalidValue, type FieldError } from '../../../../api/field-error.ts';
import type { Level } from './check.ts';

export interface LevelVersion {
	readonly level: Level;
	/** "latest" or "v1.25". */
	readonly version: string;
}

export type Mode = 'enforce' | 'audit' | 'warn';

export interface Policy extends Readonly<Record<Mode, LevelVersion>> {
	readonly errors: readonly FieldError[];
}

const PREFIX = 'pod-security.kubernetes.io/';
const STRICTNESS: Readonly<Record<Level, number>> = { privileged: 0, baseline: 1, restricted: 2 };
const LEVELS = Object.keys(STRICTNESS) as readonly Level[];

/** Unlabelled modes are privileged, but warnings follow a stricter enforced level. A label that means nothing counts as restricted where it is enforced. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): Policy {
	const errors: FieldError[] = [];
	const wrong = (label: string, value: string, why: string): void =>
		void errors.push(invalidValue(`metadata.labels[${label}]`, value, why));
	const read = (mode: Mode): { readonly level: Level | undefined; readonly version: string | undefined; readonly isBad: boolean } => {
		const [levelLabel, versionLabel] = [PREFIX + mode, `${PREFIX}${mode}-version`];
		const [text, version] = [labels[levelLabel], labels[versionLabel]];
		const isBad = text !== undefined && !(LEVELS as readonly string[]).includes(text);
		if (isBad) wrong(levelLabel, text, `must be one of ${LEVELS.join(', ')}`);
		const isBadVersion = version !== undefined && version !== 'latest' && !/^v1\.(0|[1-9]\d*)$/.test(version);
		if (isBadVersion) wrong(versionLabel, version, 'must be "latest" or "v1.x"');
		const level = isBad ? (mode === 'enforce' ? 'restricted' : 'privileged') : (text as Level | undefined);
		return { level, version: isBadVersion ? 'latest' : version, isBad };
	};
	const [enforced, audited, warned] = [read('enforce'), read('audit'), read('warn')];
	const enforce = { level: enforced.level ?? 'privileged', version: enforced.version ?? 'latest' };
	const audit = { level: audited.level ?? 'privileged', version: audited.version ?? 'latest' };
	const warn = { level: warned.level ?? 'privileged', version: warned.version ?? 'latest' };
	const follows = warned.level === undefined && enforced.level !== undefined && !enforced.isBad && isStricter(enforce.level, warn.level);
	return { enforce, audit, warn: follows ? { level: enforce.level, version: warned.version ?? enforce.version } : warn, errors };
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
