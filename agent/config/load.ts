/**
 * Reads a KubeletConfiguration: the file of --config, then over it every *.conf of the folder of --config-dir and of the folders in it, in
 * the order of their paths. Objects are merged field by field, a null takes a field away, anything else replaces.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml } from '../../base/parse-yaml.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { API_VERSION, faultsOf, formFaultsOf, KIND } from './check.ts';
import type { KubeletConfiguration } from './configuration.ts';

export type { KubeletConfiguration };

export interface ConfigurationSources {
	readonly file?: string | undefined;
	readonly folder?: string | undefined;
}

/** AppError InvalidArgument names the file and every fault. */
export async function loadConfiguration({ file, folder }: ConfigurationSources): Promise<KubeletConfiguration> {
	let merged: unknown = { apiVersion: API_VERSION, kind: KIND };
	for (const path of [...(file === undefined ? [] : [file]), ...(folder === undefined ? [] : await dropIns(folder))]) {
		const config = await readOne(path);
		const faults = formFaultsOf({ apiVersion: API_VERSION, kind: KIND, ...config });
		if (faults.length > 0) throw refused(path, faults);
		merged = merge(merged, config);
	}
	const faults = faultsOf(merged);
	if (faults.length > 0) throw refused(folder ?? file ?? '', faults);
	return merged as KubeletConfiguration;
}

/** RFC 7386. Pure. */
export function merge(base: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const result: Record<string, unknown> = isObject(base) ? { ...base } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete result[key];
		else result[key] = merge(result[key], value);
	}
	return result;
}

/** Upstream reads nothing else of the folder. */
async function dropIns(folder: string): Promise<readonly string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
		throw new AppError('NotFound', `Cannot read the folder of kubelet configurations "${folder}": ${messageOf(cause)}`, { cause });
	});
	return entries
		.filter((e) => !e.isDirectory() && e.name.endsWith('.conf'))
		.map((e) => join(e.parentPath, e.name))
		.toSorted();
}

async function readOne(path: string): Promise<Record<string, unknown>> {
	let text: string;
	try {
		text = await readFile(path, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `Cannot read the kubelet configuration "${path}": ${messageOf(cause)}`, { cause });
	}
	let value: unknown;
	try {
		value = readYaml(text);
	} catch (cause) {
		throw refused(path, [`it is neither JSON nor YAML: ${messageOf(cause)}`]);
	}
	if (!isObject(value)) throw refused(path, ['it must be an object']);
	return value;
}

function refused(path: string, faults: readonly string[]): AppError {
	return new AppError('InvalidArgument', `Wrong kubelet configuration "${path}": ${faults.join('; ')}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
