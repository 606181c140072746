-- Quarto's additions to pandoc's Markdown, for the stand-in renderer: numbers and captions for
-- figures, tables, equations and sections, references to them (@fig-…, @tbl-…, @eq-…, @sec-…), and
-- alt text for typst.
-- A reference that nothing answers stops the rendering; Quarto would only warn.

local NAMES = { fig = "Figure", tbl = "Table", eq = "Equation", sec = "Section" }
-- The floats, by what typst calls their kind.
local TYPST_KINDS = { fig = "image", tbl = "table" }
local IS_TYPST = FORMAT:match("^typst") ~= nil

local numbers = {} -- identifier → its number, as text
local counts = { fig = 0, tbl = 0, eq = 0 }
local section = {}

local function kind_of(identifier)
  local kind = identifier:match("^(%a+)%-")
  return NAMES[kind] and kind
end

local function typst(text)
  return pandoc.RawBlock("typst", text)
end

local function typst_string(text)
  return '"' .. text:gsub("\\", "\\\\"):gsub('"', '\\"'):gsub("%s+", " ") .. '"'
end

local function number(kind, identifier)
  if numbers[identifier] then
    error("the identifier " .. identifier .. " is given twice")
  end
  counts[kind] = counts[kind] + 1
  numbers[identifier] = tostring(counts[kind])
end

-- "Figure 3: " before a caption's own words.
local function numbered_caption(kind, identifier, caption)
  local prefix = { pandoc.Str(NAMES[kind] .. "\u{a0}" .. numbers[identifier] .. ":"), pandoc.Space() }
  return pandoc.Inlines(prefix) .. caption
end

-- ---- Figures and tables ----------------------------------------------------------------------

local function image_for_typst(image)
  local width = image.attributes.width or "100%"
  return pandoc.RawInline("typst", ("#image(%s, width: %s, alt: %s)"):format(
    typst_string(image.src), width, typst_string(image.attributes["fig-alt"] or "")))
end

local function image_for_html(image)
  image.attributes.alt = image.attributes["fig-alt"]
  image.attributes["fig-alt"] = nil
  return image
end

-- A short table is not torn apart, least of all by a figure that floats into it; a longer one would leave a third of a page white.
local ROWS_ON_ONE_PAGE = 9

local function is_long(content)
  local rows = 0
  content:walk {
    Table = function(tbl)
      for _, body in ipairs(tbl.bodies) do
        rows = rows + #body.body
      end
    end,
  }
  return rows > ROWS_ON_ONE_PAGE
end

local function float_for_typst(kind, identifier, caption, content)
  local position = kind == "fig" and "bottom" or "top"
  local opening = ("#[#show figure: set block(breakable: %s)\n#figure(kind: %s, supplement: none, "
    .. "numbering: none, caption: figure.caption(position: %s)["):format(
    is_long(content), TYPST_KINDS[kind], position)
  local blocks = pandoc.Blocks { typst(opening), pandoc.Plain(caption), typst("])[") }
  blocks:extend(content)
  blocks:insert(typst("] <" .. identifier .. ">]"))
  return blocks
end

local function float(kind, identifier, caption, content)
  number(kind, identifier)
  caption = numbered_caption(kind, identifier, caption)
  if IS_TYPST then
    return float_for_typst(kind, identifier, caption, content)
  end
  return pandoc.Figure(content, { long = { pandoc.Plain(caption) } }, pandoc.Attr(identifier, { kind }))
end

-- Columns as wide as Quarto's option tbl-colwidths says, in percent.
local function with_widths(content, widths)
  if not widths then
    return content
  end
  return content:walk {
    Table = function(tbl)
      local share = widths:gmatch("%d+")
      for _, column in ipairs(tbl.colspecs) do
        column[2] = tonumber(share()) / 100
      end
      return tbl
    end,
  }
end

local function float_div(div, kind)
  local content = with_widths(div.content:clone(), div.attributes["tbl-colwidths"])
  local last = content[#content]
  if #content < 2 or last.t ~= "Para" then
    error(div.identifier .. " needs its caption as its last paragraph")
  end
  content:remove(#content)
  return float(kind, div.identifier, last.content, content)
end

local function float_figure(figure)
  if kind_of(figure.identifier) == "fig" then
    local caption = pandoc.utils.blocks_to_inlines(figure.caption.long)
    return float("fig", figure.identifier, caption, figure.content), false
  end
end

local function float_table(tbl)
  if kind_of(tbl.identifier) == "tbl" then
    local caption, identifier = pandoc.utils.blocks_to_inlines(tbl.caption.long), tbl.identifier
    tbl.caption.long, tbl.identifier = {}, ""
    return float("tbl", identifier, caption, pandoc.Blocks { tbl }), false
  end
end

-- ---- Equations -------------------------------------------------------------------------------

-- A paragraph of one displayed formula and its label: $$ … $$ {#eq-name}
local function equation(paragraph)
  local math, label = paragraph.content[1], paragraph.content[#paragraph.content]
  if not (math and math.t == "Math" and math.mathtype == "DisplayMath" and label.t == "Str") then
    return
  end
  local identifier = label.text:match("^{#(eq%-.+)}$")
  if not identifier then
    return
  end
  number("eq", identifier)
  local tag = "(" .. numbers[identifier] .. ")"
  if IS_TYPST then
    return pandoc.Blocks {
      typst("#grid(columns: (1fr, auto), align: (center + horizon, right + horizon))["),
      pandoc.Plain { math },
      typst("][" .. tag .. " #metadata(none) <" .. identifier .. ">]"),
    }, false
  end
  local tagged = pandoc.Inlines { math, pandoc.Span(tag, { class = "equation-number" }) }
  return pandoc.Div(pandoc.Plain(tagged), { id = identifier, class = "equation" }), false
end

-- ---- Sections --------------------------------------------------------------------------------

local function count_section(header)
  if header.classes:includes("unnumbered") then
    return
  end
  for level = #section + 1, header.level do
    section[level] = 0
  end
  for level = header.level + 1, #section do
    section[level] = nil
  end
  section[header.level] = section[header.level] + 1
  numbers[header.identifier] = table.concat(section, ".")
end

-- ---- References ------------------------------------------------------------------------------

local unresolved = {}

local function reference(citation)
  local identifier, kind = citation.id, kind_of(citation.id)
  if not numbers[identifier] then
    unresolved[#unresolved + 1] = "@" .. identifier
    return pandoc.Str("?")
  end
  return pandoc.Link(NAMES[kind] .. "\u{a0}" .. numbers[identifier], "#" .. identifier)
end

local function resolve(cite)
  local links = pandoc.Inlines {}
  for _, citation in ipairs(cite.citations) do
    if kind_of(citation.id) then
      if #links > 0 then
        links:extend { pandoc.Str(","), pandoc.Space() }
      end
      links:insert(reference(citation))
    end
  end
  if #links > 0 then
    return links
  end
end

function Pandoc(doc)
  doc = doc:walk {
    traverse = "topdown",
    Header = count_section,
    Div = function(div)
      local kind = kind_of(div.identifier)
      if TYPST_KINDS[kind] then
        return float_div(div, kind), false
      end
    end,
    Figure = float_figure,
    Table = float_table,
    Para = equation,
  }
  doc = doc:walk { Cite = resolve, Image = IS_TYPST and image_for_typst or image_for_html }
  if #unresolved > 0 then
    error("unresolved references: " .. table.concat(unresolved, ", "))
  end
  return doc
end
