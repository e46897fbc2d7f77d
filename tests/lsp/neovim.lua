-- Run by neovim_test.py in the file main.covec. It writes what Neovim knows, as JSON, and quits.
local found = {}

local function wait_for(what, condition)
  if not vim.wait(20000, condition, 10) then error('nothing came: ' .. what) end
end

-- The diagnostics once there are so many, without what only Neovim puts in.
local function diagnostics(count)
  wait_for(count .. ' diagnostics', function() return #vim.diagnostic.get(0) == count end)
  local all = {}
  for i, each in ipairs(vim.diagnostic.get(0)) do
    all[i] = { lnum = each.lnum, col = each.col, end_lnum = each.end_lnum, end_col = each.end_col, severity = each.severity,
               source = each.source, message = each.message }
  end
  return all
end

-- Applies all that is offered for the last line; gives the titles.
local function apply_fixes(client)
  local last = { line = vim.api.nvim_buf_line_count(0) - 1, character = 8 }
  local params = { textDocument = vim.lsp.util.make_text_document_params(), range = { start = last, ['end'] = last },
                   context = { diagnostics = {}, only = { 'quickfix' } } }
  local titles = {}
  for _, action in ipairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 20000)[client].result) do
    table.insert(titles, action.title)
    vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(client).offset_encoding)
  end
  return titles
end

local function session()
  local client = vim.lsp.start_client({ cmd = { vim.env.COVEC, 'lsp' }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, client)
  wait_for('the server', function() return vim.lsp.buf_get_clients(0)[client] ~= nil end)
  found.at_first = diagnostics(0)
  vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'print(twise(2))' })
  found.after_mistake = diagnostics(1)
  found.fixes = apply_fixes(client)
  found.after_fix = vim.api.nvim_buf_get_lines(0, -2, -1, true)
  found.after_repair = diagnostics(0)
  vim.fn.cursor(vim.fn.search('fn twice', 'cw'), 4)
  vim.lsp.buf.rename('doubled')
  wait_for('the new name', function() return vim.fn.search('fn doubled', 'cw') > 0 end)
  vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'x  =doubled( 3 )' })
  vim.lsp.buf.formatting_sync(nil, 20000)
  found.buffer = vim.api.nvim_buf_get_lines(0, 0, -1, true)
end

local ok, problem = pcall(session)
if not ok then io.stderr:write(tostring(problem) .. '\n') end
if ok then
  local file = io.open(vim.env.COVEC_WRITTEN, 'w')
  file:write((vim.json.encode(found):gsub('{}', '[]')))
  file:close()
end
vim.cmd('quitall!')
