/** Reads one YAML document in a thread of its own: bytes in, JSON out. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadYaml } from '../../../api/codec/yaml-body.ts';
import { yamlText } from '../../../api/codec/yaml-text.ts';
import { parseYaml } from '../../../api/codec/yaml.ts';
import { AppError } from '../../../base/errors.ts';

parentPort?.postMessage(read(workerData as Uint8Array));

function read(bytes: Uint8Array): ReadYaml {
	try {
		const text = yamlText(bytes);
		const { value, repeated } = parseYaml(text, text.length);
		return { json: JSON.stringify(value ?? null), repeated };
	} catch (error) {
		if (error instanceof AppError) return { refused: error.message };
		throw error;
	}
}
