/** Flags by their names, as what they say: AppError InvalidArgument and NotFound name the flag. */
import { parseDuration } from '../../api/time.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { remoteTarget, type RemoteTarget } from '../../controlplane/apiserver/webhook/remote.ts';
import type { ApiserverFlags } from './apiserver-flags.ts';
import { readCertificates, readNamed } from './credential-files.ts';

export class Flags {
	readonly #given: ApiserverFlags;
	constructor(given: ApiserverFlags) {
		this.#given = given;
	}

	/** Whether any flag is given whose name begins so. */
	given(prefix: string): boolean {
		return Object.entries(this.#given).some(([name, value]) => name.startsWith(prefix) && value !== undefined);
	}
	text(name: string, unless: string): string {
		const value = this.#given[name];
		return value === undefined ? unless : String(value);
	}
	list(name: string, unless: readonly string[] = []): readonly string[] {
		const value = this.#given[name];
		if (value === undefined) return unless;
		return typeof value === 'object' ? value : String(value).split(',');
	}
	/** As Go reads it. */
	bool(name: string, unless: boolean): boolean {
		const value = this.text(name, String(unless));
		if (/^(?:1|t|T|true|True|TRUE)$/.test(value)) return true;
		if (/^(?:0|f|F|false|False|FALSE)$/.test(value)) return false;
		throw new AppError('InvalidArgument', `--${name} "${value}" is neither true nor false`);
	}
	/** A whole number, 0 at least. */
	number(name: string, unless: number): number {
		const value = this.fraction(name, unless);
		if (!Number.isSafeInteger(value)) throw new AppError('InvalidArgument', `--${name} "${value}" is not a whole number`);
		return value;
	}
	/** A whole number, below 0 too; refused in the words of upstream's flags. */
	integer(name: string, unless: number): number {
		const text = this.text(name, String(unless));
		if (/^[+-]?\d+$/.test(text)) return Number(text);
		throw new AppError(
			'InvalidArgument',
			`invalid argument "${text}" for "--${name}" flag: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
		);
	}
	/** Any number, 0 at least. */
	fraction(name: string, unless: number): number {
		const text = this.text(name, String(unless));
		const value = Number(text);
		if (text.trim() === '' || !Number.isFinite(value)) throw new AppError('InvalidArgument', `--${name} "${text}" is not a number`);
		if (value < 0) throw new AppError('InvalidArgument', `--${name} "${text}" can not be negative`);
		return value;
	}
	ms(name: string, unless: number): number {
		const value = this.text(name, '');
		if (value === '') return unless;
		let ms: number;
		try {
			ms = Number(parseDuration(value) / 1_000_000n);
		} catch (cause) {
			throw new AppError('InvalidArgument', `--${name} "${value}" is not a span of time: use one like 30s or 2m`, { cause });
		}
		if (ms < 0) throw new AppError('InvalidArgument', `--${name} "${value}" can not be negative`);
		return ms;
	}
	/** The first one unless told. */
	oneOf<T extends string>(name: string, values: readonly [T, ...T[]]): T {
		const value = this.text(name, values[0]);
		const found = values.find((one) => one === value);
		if (found === undefined) throw new AppError('InvalidArgument', `--${name} "${value}" is none of ${values.join(', ')}`);
		return found;
	}
	async read(name: string, unless: string): Promise<string> {
		const path = this.text(name, '');
		return path === '' ? unless : this.file(name, path);
	}
	file(name: string, path: string): Promise<string> {
		return readNamed(`--${name}`, path);
	}
	/** PEM of authorities; '' where the flag is not given. */
	async certificates(name: string): Promise<string> {
		const path = this.text(name, '');
		return path === '' ? '' : readCertificates(`--${name}`, path);
	}
	/** Undefined where the flag is not given. */
	async target(name: string): Promise<RemoteTarget | undefined> {
		const path = this.text(name, '');
		if (path === '') return undefined;
		try {
			return await remoteTarget(path);
		} catch (cause) {
			throw new AppError(codeOf(cause), `--${name}: ${messageOf(cause)}`, { cause });
		}
	}
}
