/** Holds the values of parameters that a service accepts against its description. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TestService } from './app.ts';

type Description = { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

export function validatorOf(api: object, pointer: string): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(api, 'api');
  const place = pointer.split('/').map(encodeURIComponent).join('/');
  const validate = ajv.compile({ $ref: `api#/${place}` });
  return (value) => validate(value) as boolean;
}

/** Validators of what a description says of bodies and parameters. */
export function describedValues(api: Description) {
  const described = (...path: string[]) =>
    validatorOf(api, path.map((one) => one.replaceAll('/', '~1')).join('/'));
  return {
    described,
    parameterOf(path: string, method: string, name: string) {
      const { parameters } = api.paths[path]![method] as { parameters: { name: string }[] };
      const index = parameters.findIndex((one) => one.name === name);
      return described('paths', path, method, 'parameters', String(index), 'schema');
    },
  };
}

/** Values of a parameter, which are refused with 422 exactly if the description does not allow them. */
type DescribedValues = readonly [
  path: string,
  method: 'get' | 'post',
  name: string,
  values: readonly string[],
];

/** For collections named `lab` with the class Person. */
export async function assertDescribed(
  service: TestService,
  token: string,
  rows: readonly DescribedValues[],
): Promise<void> {
  const { parameterOf } = describedValues(
    (await service.request('GET', '/openapi.json')).json<Description>(),
  );
  for (const [path, method, name, values] of rows)
    for (const value of values) {
      const url = path.replace('{class}', 'Person').replace('{collection}', 'lab');
      const sent = method === 'post' ? { headers: { 'content-type': 'text/csv' }, body: 'pid\n' } : {};
      const query = new URLSearchParams({ [name]: value });
      const { status } = await service.request(method.toUpperCase(), `${url}?${query}`, { token, ...sent });
      assert.equal(status !== 422, parameterOf(path, method, name)(value), `${name}=${value} ${status}`);
    }
}
